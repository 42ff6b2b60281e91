//go:build !directsink

package bagstore

const forceDirect = false
