package rosbag

import "errors"

var (
	ErrNotBag     = errors.New("not a bag")
	ErrVersion    = errors.New("unsupported bag version")
	ErrEncrypted  = errors.New("encrypted bags are not supported")
	ErrConnection = errors.New("unknown connection")
)
