// Package cdr encodes and decodes CDR, the wire form of ROS 2 messages.
//
// A message is an encapsulation of four bytes and a body. In the body, numbers of 2, 4 or
// 8 bytes are aligned relative to the body's start. The length of a string includes the
// terminating NUL. This is plain CDR, version 1 of the XTypes specification, in either byte
// order. XCDR2 and parameter lists, which ROS 2 recordings don't use, are rejected.
//
// A Decoder checks bounds and keeps its first error. An Encoder writes little-endian, with
// zeros as padding. Neither is safe for concurrent use.
package cdr
