//go:build !directsink

package rosbag

const forceDirect = false
