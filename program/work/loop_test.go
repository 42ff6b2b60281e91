package work

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestEveryEndsAtOnce checks that a loop whose function ends it doesn't run again, although the next tick has come.
func TestEveryEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			ctx, stop := context.WithCancel(t.Context())
			calls := 0
			Every(ctx, time.Second, func(time.Time) {
				calls++
				time.Sleep(2 * time.Second)
				stop()
			})
			if calls != 1 {
				t.Fatalf("%d calls", calls)
			}
		}
	})
}
