//go:build directsink

package bagstore

// forceDirect has every Writer use the direct sink, so that all tests of all
// packages can be run through it: go test -tags directsink.
const forceDirect = true
