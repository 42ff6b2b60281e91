// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

package realsense_msgs

import (
	"github.com/bluenviron/goroslib/v2/pkg/msg"
)

type StreamInfo struct {
	msg.Package   `ros:"realsense_msgs"`
	Fps           uint32
	Encoding      string
	IsRecommended bool
}
