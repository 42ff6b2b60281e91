// Code generated from msgs/definitions by msgs/goros/internal/generate. DO NOT EDIT.

// Package roscpp has the messages and services of ROS's roscpp as goroslib's types.
package roscpp
