// Package imagetransport encodes images as ROS's image_transport plugins do: as the sensor_msgs/CompressedImage of
// compressed_image_transport (JPEG, PNG) and of compressed_depth_image_transport (PNG, RVL), which their subscribers
// can read. It also decodes compressed depth.
//
// An Encoder reuses its memory for the next image and isn't safe for concurrent use.
// It appends its output to a buffer of the caller.
package imagetransport
