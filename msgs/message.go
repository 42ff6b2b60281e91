package msgs

// Message is a struct of this package.
type Message interface {
	// Append adds the message's wire form.
	Append(*Encoder)
	// Decode fills the message; the decoder's Err says whether it was whole.
	Decode(*Decoder)
}

// Marshal is m's wire form.
func Marshal(m Message) []byte {
	var e Encoder
	m.Append(&e)
	return e.B
}

// Unmarshal fills m from b. Bytes after the message are ignored, as ROS tools do.
func Unmarshal(b []byte, m Message) error {
	d := NewDecoder(b)
	m.Decode(d)
	return d.Err()
}
