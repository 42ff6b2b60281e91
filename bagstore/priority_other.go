//go:build !linux

package bagstore

// lowerPriority does nothing: threads have no priority of their own here.
func lowerPriority() {}
