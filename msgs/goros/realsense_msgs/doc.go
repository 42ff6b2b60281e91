// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

// Package realsense_msgs has the messages and services of ROS's realsense_msgs as goroslib's types.
package realsense_msgs
