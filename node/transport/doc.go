// Package transport publishes the compressed forms of image topics that ROS's
// image_transport publishes: TOPIC/compressed and, for depth, TOPIC/compressedDepth,
// with the parameters of its plugins.
//
// Each image is compressed once for all subscribers, on a goroutine of the topic, and
// only while there are any. If images arrive faster than they can be compressed, the
// oldest are dropped and counted. Messages have the image's header except header.seq,
// which counts the messages of the topic, as roscpp's publishers do. Close waits for the
// goroutines.
package transport
