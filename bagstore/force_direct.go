//go:build directsink

package bagstore

// forceDirect has Auto write every file directly, and every bag, however small, read
// past the page cache, so that all tests of all packages can be run through both:
// go test -tags directsink.
const forceDirect = true
