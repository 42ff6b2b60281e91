//go:build !linux

package buffers

// AdviseHuge does nothing.
func AdviseHuge([]byte) {}
