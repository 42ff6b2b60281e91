package msgs

import (
	"encoding/binary"
	"fmt"
)

// CDR is the wire form of ROS 2 messages: an encapsulation of four bytes and a body. In the body, numbers of 2, 4 or 8
// bytes are aligned relative to the body's start. The length of a string includes the terminating NUL. This is plain
// CDR, version 1 of the XTypes specification, in either byte order. XCDR2 and parameter lists, which ROS 2 recordings
// don't use, are rejected.

// encapsulationSize is in bytes.
const encapsulationSize = 4

// NewCDRDecoder returns a decoder for b, which is encapsulation and body. Slices that it
// returns alias b. It doesn't decode structs, which have the fields of ROS 1.
func NewCDRDecoder(b []byte) *Decoder {
	if len(b) < encapsulationSize {
		return &Decoder{cdr: true,
			err: fmt.Errorf("CDR encapsulation: %w", &WireError{Need: encapsulationSize, Have: len(b)})}
	}
	kind := binary.BigEndian.Uint16(b)
	if kind > 1 {
		return &Decoder{cdr: true, err: fmt.Errorf("CDR encapsulation %#04x: want plain CDR, 0x0000 or 0x0001", kind)}
	}
	return &Decoder{cdr: true, b: b[encapsulationSize:], big: kind == 0}
}

// CDR reports whether the message is in CDR.
func (d *Decoder) CDR() bool { return d.cdr }

// BigEndian reports whether numbers are big-endian.
func (d *Decoder) BigEndian() bool { return d.big }

// Align skips the padding of CDR before a number of size bytes: 1, 2, 4 or 8.
func (d *Decoder) Align(size int) {
	if d.cdr {
		d.take(int64(-d.pos & (size - 1)))
	}
}

// Numbers reads n numbers of size bytes, in the message's byte order. The result aliases the input.
func (d *Decoder) Numbers(n, size int) []byte {
	if n == 0 {
		return nil
	}
	d.Align(size)
	return d.take(int64(n) * int64(size))
}

// BeginCDR appends the encapsulation of a message in CDR, and makes e append in that form. Of
// a struct's fields, ROS 2 lacks the Seq of a Header.
func (e *Encoder) BeginCDR() {
	e.B = append(e.B, 0, 1, 0, 0)
	e.body = len(e.B)
}

// CDR reports whether e appends in CDR.
func (e *Encoder) CDR() bool { return e.body > 0 }

// Align appends the padding of CDR before a number of size bytes: 1, 2, 4 or 8.
func (e *Encoder) Align(size int) {
	if e.body > 0 {
		e.pad(size)
	}
}

func (e *Encoder) pad(size int) {
	for (len(e.B)-e.body)&(size-1) != 0 {
		e.B = append(e.B, 0)
	}
}
