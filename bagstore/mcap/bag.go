package mcap

import "rsros/bagstore"

// Bag is a Live with messages of ROS 1, which is written like a bag. Connections are channels.
type Bag struct{ *Live }

// CreateBag is Create of a Bag.
func CreateBag(path string, o bagstore.Options) (Bag, error) {
	l, err := Create(path, ProfileROS1, o)
	return Bag{l}, err
}

// AddConnection adds a channel and returns its ID for Write.
func (b Bag) AddConnection(c bagstore.Connection) (uint32, error) {
	id, err := b.AddTopic(bagstore.ROS1Topic(&c))
	return uint32(id), err
}

// KeepConnection is AddConnection: nothing joins files by IDs.
func (b Bag) KeepConnection(c bagstore.Connection) (uint32, error) { return b.AddConnection(c) }

func (b Bag) Write(conn uint32, t bagstore.Time, parts ...[]byte) error {
	return b.Live.Write(int64(conn), int64(t), parts...)
}

// Lend is Write: the file has the message when it returns.
func (b Bag) Lend(conn uint32, t bagstore.Time, done func(), parts ...[]byte) error {
	defer done()
	return b.Write(conn, t, parts...)
}

// Hold does nothing: only calls of Release and CheckpointIfDue end a chunk in time.
func (b Bag) Hold() {}

func (b Bag) Release() error         { return b.CommitIfDue() }
func (b Bag) CheckpointIfDue() error { return b.CommitIfDue() }
func (b Bag) Checkpoint() error      { return b.Commit() }
func (b Bag) WriteMethod() string    { return "" }
