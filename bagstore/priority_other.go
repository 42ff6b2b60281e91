//go:build !linux

package bagstore

// lowerPriority does nothing: this system has no priorities of threads.
func lowerPriority() {}
