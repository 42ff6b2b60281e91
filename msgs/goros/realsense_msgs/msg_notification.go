// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

package realsense_msgs

import (
	"github.com/bluenviron/goroslib/v2/pkg/msg"
	"time"
)

type Notification struct {
	msg.Package    `ros:"realsense_msgs"`
	Timestamp      time.Time
	Category       string
	Severity       string
	Description    string
	SerializedData string
}
