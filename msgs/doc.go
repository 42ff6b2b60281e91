// Package msgs encodes, decodes and describes ROS 1 messages, and has the wire form of ROS 2.
//
// It has three layers:
//
//   - Encoder and Decoder write and read the wire form: little-endian, with uint32
//     lengths before strings and variable arrays, or CDR. A Decoder checks bounds and
//     keeps its first error, so that Err is checked once after the last field.
//   - Structs such as CameraInfo have methods Append and Decode.
//   - Parse parses a definition into a Spec, which computes the MD5 and processes
//     messages of that type: it checks, prints and shifts them.
//
// Definitions are in definitions/*.txt without the comments of the original packages, on which the MD5 doesn't depend.
package msgs
