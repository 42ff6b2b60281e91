package rosbag

import (
	"sync"
	"testing"

	"rsros/bagstore"
)

// TestManyIterators checks that many goroutines can read one bag, sharing what they have read of its
// index.
func TestManyIterators(t *testing.T) {
	path := t.TempDir() + "/x.bag"
	sample{Topics: 5, Messages: 400, Size: func(i int) int { return i }}.write(t, path, bagstore.Options{ChunkSize: 5000})
	b := openBag(t, path, bagstore.OpenOptions{})
	var wait sync.WaitGroup
	for g := range 6 {
		wait.Go(func() {
			v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{Connections: func(c *bagstore.Connection) bool { return g == 0 || int(c.ID)%3 == g%3 }})
			it := v.Iterator()
			defer it.Close()
			ahead, back := uint64(0), uint64(0)
			for it.Next() {
				ahead++
			}
			for it.Prev() {
				back++
			}
			if it.Err() != nil || ahead != v.Count() || back != ahead {
				t.Errorf("%d messages ahead, %d back of %d, %v", ahead, back, v.Count(), it.Err())
			}
		})
	}
	wait.Wait()
}
