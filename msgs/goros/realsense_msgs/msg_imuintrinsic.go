// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

package realsense_msgs

import (
	"github.com/bluenviron/goroslib/v2/pkg/msg"
)

type ImuIntrinsic struct {
	msg.Package    `ros:"realsense_msgs"`
	Data           [12]float32
	NoiseVariances [3]float32
	BiasVariances  [3]float32
}
