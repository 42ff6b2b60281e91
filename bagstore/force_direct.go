//go:build directsink

package bagstore

// forceDirect has every Writer use the direct sink, and every bag, however small, read
// past the page cache, so that all tests of all packages can be run through both:
// go test -tags directsink.
const forceDirect = true
