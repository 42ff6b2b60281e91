package bagstore

// BagWriter is a file that a recorder writes, with messages of ROS 1: a rosbag.Writer, or an mcap.Bag.
type BagWriter interface {
	AddConnection(c Connection) (uint32, error)
	KeepConnection(c Connection) (uint32, error) // with c.ID, if it is free and the format has IDs
	// Write writes a message, the concatenation of its parts.
	Write(conn uint32, t Time, parts ...[]byte) error
	// Lend is Write that borrows the parts' largest one until it calls done, also after an error.
	Lend(conn uint32, t Time, done func(), parts ...[]byte) error
	// Hold puts off checkpoints that become due until Release.
	Hold()
	Release() error
	Checkpoint() error
	CheckpointIfDue() error
	Size() int64
	WriteMethod() string // "" if there is no choice
	Close() error
	Kept() Kept // after Close
}
