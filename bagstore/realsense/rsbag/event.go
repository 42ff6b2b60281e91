package rsbag

import (
	"time"

	"rsros/camdriver"
)

// Event is one thing that happened in a recording: exactly one of Frame, Option
// and Notification is set.
type Event struct {
	Time         time.Duration // file time
	Sensor       int
	Frame        *camdriver.Frame // borrowed from the cursor until it moves to another time
	Option       *OptionChange
	Notification *camdriver.Notification
}

// OptionChange is an option's new value.
type OptionChange struct {
	ID    camdriver.OptionID
	Value float32
}
