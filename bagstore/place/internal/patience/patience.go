// Package patience has how long stores wait for servers, and between tries.
package patience

import (
	"sync/atomic"
	"time"
)

// Silence is how long a server may send nothing.
const Silence = 30 * time.Second

var hurry atomic.Int64

// Of returns how long to wait instead of d: d, but less in a test that is in a hurry.
func Of(d time.Duration) time.Duration { return d / time.Duration(max(1, hurry.Load())) }

// Hurry divides all waits by a factor, until the returned function is called. It is for tests.
func Hurry(factor int64) (restore func()) {
	before := hurry.Swap(factor)
	return func() { hurry.Store(before) }
}
