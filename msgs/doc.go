// Package msgs knows ROS 1 messages: those of ROS's common packages and others by
// name, the wire codec under them, and how to walk, print and shift messages of
// types that only their definition text describes.
//
// Three layers, each usable alone:
//
//   - Encoder and Decoder write and read the wire form: little-endian, strings
//     and variable arrays with a uint32 length. A Decoder is bounds-checked and
//     keeps its first error; check Err once after the last field.
//   - Structs such as CameraInfo have Append and Decode, in one file a package.
//   - Parse turns definition text into a Spec, which computes the md5 and walks
//     the bytes of any message of that type.
//
// Definitions live in definitions/*.txt as bare field lists, without the comments
// of the original packages: the md5 depends on the fields alone.
//
// Nothing here keeps or shares state but the read-only table of types; slices that
// a Decoder returns point into its input. The package imports nothing of ours.
package msgs
