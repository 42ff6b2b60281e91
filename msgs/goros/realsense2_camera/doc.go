// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

// Package realsense2_camera has the messages and services of ROS's realsense2_camera as goroslib's types.
package realsense2_camera
