// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

// Package dynamic_reconfigure has the messages and services of ROS's dynamic_reconfigure as goroslib's types.
package dynamic_reconfigure
