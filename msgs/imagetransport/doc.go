// Package imagetransport makes what ROS's image_transport plugins publish beside a
// picture: sensor_msgs/CompressedImage as compressed_image_transport (JPEG, PNG)
// and compressed_depth_image_transport (PNG, RVL) write it, so that their
// subscribers read it. It also reads compressed depth back.
//
// An Encoder keeps its memory from picture to picture and isn't safe for concurrent
// use. What it writes is appended to a buffer of the caller.
package imagetransport
