package rosbag

import "errors"

// Errors of files that aren't readable as bags, and of a Writer. Those that other formats have, too, are in bagstore.
var (
	ErrNotBag     = errors.New("not a bag")
	ErrVersion    = errors.New("unsupported bag version")
	ErrEncrypted  = errors.New("encrypted bags are not supported")
	ErrConnection = errors.New("unknown connection")
)

// Why a walk through a chunk's records ends.
var (
	errUnwritten = errors.New("the length of a message was not written")
	errForeign   = errors.New("not a message or connection record")
)
