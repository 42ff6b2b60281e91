package bagstore

// Message is the message that an iterator visits.
type Message struct {
	Bag  int // index of the bag in the view
	Conn *Connection
	Time Time
	// Data are the message's bytes, valid until the iterator moves; Hold
	// keeps them longer. They must not be changed.
	Data []byte

	block *buffer
}

// Hold keeps Data alive until the block is released.
func (m Message) Retain() Buffer {
	if m.block == nil {
		return Buffer{}
	}
	return Buffer{m.block.retain()}
}
