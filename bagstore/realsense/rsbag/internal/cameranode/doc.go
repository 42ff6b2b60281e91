// Package cameranode reads what realsense2_camera and similar nodes publish besides images and
// samples: the streams that topic names mean, metadata, calibrations, and options as parameters of
// ROS 2 or dynamic_reconfigure. Messages are serialized as in ROS 1 and hostile: allocations are
// bounded by their size. All functions are pure.
package cameranode
