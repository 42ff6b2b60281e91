package bagstore

// Message is the message that an iterator visits. Its Buffer holds the iterator's reference.
type Message struct {
	Bag  int // index of the recording in the view
	Conn *Connection
	Time Time
	// TimeClamped: the recording has a time before 1970 or after 2106 instead of Time.
	TimeClamped bool
	Stored
}

// Stored is a message's data and where they are.
type Stored struct {
	// Data is the serialized message. In a Message it is valid until the iterator moves, or until
	// the Buffer that Retain returned is released. It must not be changed.
	Data   []byte
	Buffer *Buffer // one reference; nil: none
	At     int64   // offset of Data in the file; 0: it is not there verbatim
}

// Retain keeps Data valid until the returned Buffer is released, once, from any goroutine.
func (s Stored) Retain() *Buffer { return s.Buffer.Retain() }
