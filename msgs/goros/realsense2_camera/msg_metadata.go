// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

package realsense2_camera

import (
	"github.com/bluenviron/goroslib/v2/pkg/msg"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/std_msgs"
)

type Metadata struct {
	msg.Package `ros:"realsense2_camera"`
	Header      std_msgs.Header
	JsonData    string
}
