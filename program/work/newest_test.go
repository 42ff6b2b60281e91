package work

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// TestNewest checks which items are handled, and what is told of the others. The bubble ends only without a goroutine.
func TestNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var handled []int
		var dropped [][2]int
		release := make(chan struct{})
		n := Newest[int]{
			Handle: func(i int) { handled = append(handled, i); <-release },
			Drop:   func(old, by int) { dropped = append(dropped, [2]int{old, by}) },
		}
		for i := range 4 {
			n.Put(i + 1)
			synctest.Wait()
		}
		n.Discard()
		n.Discard()
		n.Put(5)
		ended, end := context.WithCancel(t.Context())
		end()
		if err := n.Settle(ended); err != context.Canceled {
			t.Errorf("settled while items are left: %v", err)
		}
		close(release)
		if err := n.Settle(t.Context()); err != nil {
			t.Error(err)
		}
		if want := []int{1, 5}; !slices.Equal(handled, want) {
			t.Errorf("handled %v, want %v", handled, want)
		}
		if want := [][2]int{{2, 3}, {3, 4}, {4, 0}}; !slices.Equal(dropped, want) || n.Dropped() != 2 {
			t.Errorf("dropped %v, %d of them counted; want %v, 2 of them", dropped, n.Dropped(), want)
		}
	})
}
