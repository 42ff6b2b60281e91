//go:build !unix

package guarded

import "testing"

// New returns n bytes of ordinary memory: there are no guard pages here.
func New(_ testing.TB, n int) Memory { return make([]byte, n) }
