package ros

import (
	"errors"

	"rsros/ros/rosapi"
)

// ErrConfig is wrapped by NewNode's error if a name, a remap or an address in the Config is invalid.
var ErrConfig = errors.New("wrong configuration")

// ErrClosed is returned by methods after the node or the object was closed.
var ErrClosed = rosapi.ErrClosed
