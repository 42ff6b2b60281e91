// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

package realsense2_camera

import (
	"github.com/bluenviron/goroslib/v2/pkg/msg"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/std_msgs"
)

type Extrinsics struct {
	msg.Package `ros:"realsense2_camera"`
	Header      std_msgs.Header
	Rotation    [9]float64
	Translation [3]float64
}
