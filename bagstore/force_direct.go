//go:build directsink

package bagstore

// forceDirect makes Auto write every file directly, and Open read every bag past the page
// cache, so that all tests can exercise both: go test -tags directsink.
const forceDirect = true
