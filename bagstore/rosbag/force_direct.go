//go:build directsink

package rosbag

// forceDirect makes Auto write, and Open read, every file past the page cache, for tests: go test
// -tags directsink.
const forceDirect = true
