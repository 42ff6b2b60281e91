// Package encode converts a camera's images to the forms that viewers request: smaller
// images, depth as RVL in bands, and JPEG. It also encodes poses and ROS messages as JSON.
//
// Results are in the memory of a [Memory], to which the owner returns them. The input may
// change after a call. A Memory may be used by several goroutines at a time.
package encode
