// Package cameranode reads what realsense2_camera and similar nodes publish besides images and
// samples: metadata, calibrations, and options as parameters of ROS 2 or dynamic_reconfigure. It
// also maps topic names to streams. Messages are serialized as in ROS 1 and aren't trusted:
// allocations are bounded by their size. All functions are pure.
package cameranode
