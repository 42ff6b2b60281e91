//go:build !unix

package lz4

import "testing"

// guarded is ordinary memory: no guard pages here.
type guarded []byte

func newGuarded(_ testing.TB, n int) guarded { return make([]byte, n) }

func (g guarded) first(n int) []byte { return g[:n:n] }
func (g guarded) last(n int) []byte  { return g[len(g)-n:] }
