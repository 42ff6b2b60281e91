//go:build !linux

package buffers

func adviseHuge([]byte) {}
