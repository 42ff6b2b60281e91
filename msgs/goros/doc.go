// Package goros provides message types that goroslib lacks, for Go programs in the same graph: those of
// realsense2_camera, realsense_msgs, dynamic_reconfigure and roscpp, each in a subpackage.
//
// They are generated from msgs/definitions by goroslib's converter, so they follow its naming conventions.
// The program doesn't link them.
package goros

//go:generate go run ./internal/generate -definitions ../definitions -out .
