//go:build !linux

package camdriver

func adviseHuge([]byte) {}
