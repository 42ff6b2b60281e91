// Package cdr reads and writes CDR, the wire form of ROS 2 messages.
//
// A message is an encapsulation of four bytes and a body. In the body, a number
// of 2, 4 or 8 bytes begins at a multiple of its size, counted from the body's
// first byte. Strings end with a NUL that their length counts. This is plain CDR,
// version 1 of the XTypes specification, in either byte order. Encapsulations of
// XCDR2 and of parameter lists are refused by name: no ROS 2 recording of today
// has them.
//
// A Decoder is bounds-checked and keeps its first error. An Encoder writes
// little-endian, with zeros as padding. Neither knows message types. Both are for one
// goroutine.
package cdr
