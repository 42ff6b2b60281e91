// Package transport publishes pictures as ROS's image_transport does beside an image
// topic: TOPIC/compressed and, for depth, TOPIC/compressedDepth, each with the
// plugin's parameters.
//
// A picture is compressed once however many subscribe, on a goroutine of the topic,
// and not at all while nobody does. If pictures come faster than they can be
// compressed the older ones are dropped and counted. Close waits for the goroutines.
package transport
