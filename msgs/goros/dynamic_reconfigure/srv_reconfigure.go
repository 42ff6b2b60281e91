// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

package dynamic_reconfigure

import (
	"github.com/bluenviron/goroslib/v2/pkg/msg"
)

type ReconfigureReq struct {
	msg.Package `ros:"dynamic_reconfigure"`
	Config      Config
}

type ReconfigureRes struct {
	msg.Package `ros:"dynamic_reconfigure"`
	Config      Config
}

type Reconfigure struct {
	msg.Package `ros:"dynamic_reconfigure"`
	ReconfigureReq
	ReconfigureRes
}
