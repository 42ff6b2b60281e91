package bagstore

// Message is the message that an iterator visits.
type Message struct {
	Bag  int // index of the bag in the view
	Conn *Connection
	Time Time
	// Data is the serialized message. It is valid until the iterator moves, or for
	// as long as Retain keeps it. The caller must not change it.
	Data []byte

	block *buffer
	at    int64 // of Data in the bag's file; 0: it isn't there as it is
}

// Retain keeps Data valid until the returned Buffer is released, which must happen
// once.
func (m Message) Retain() Buffer {
	if m.block == nil {
		return Buffer{}
	}
	return Buffer{m.block.retain()}
}
