// Package cameranode reads what realsense2_camera, and nodes like it, publish beside
// images and samples: which stream a topic's name means, the metadata of frames,
// calibrations, and options as parameters of ROS 2 and of dynamic_reconfigure. Messages
// are in the form of ROS 1 and hostile: what is allocated is bounded by their size. All
// functions may be called by many goroutines.
package cameranode
