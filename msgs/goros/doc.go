// Package goros has the message types that goroslib lacks: those of realsense2_camera, realsense_msgs,
// dynamic_reconfigure and roscpp, each in a sub-package, for Go programs that meet this program in a graph.
//
// They are generated from the same definitions as all messages of this program, by goroslib's own converter, so
// that they are named as goroslib names its types. Tests compare their md5sums with ours. They are part of this
// module because its tests need goroslib anyway; the program doesn't link it.
package goros

//go:generate go run ./internal/generate -definitions ../definitions -out .
