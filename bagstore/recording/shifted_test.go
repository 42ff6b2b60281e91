package recording

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestShifted checks that a shifted recording has the same messages, each at its shifted time, wherever reading begins.
func TestShifted(t *testing.T) {
	const by = bagstore.Time(1_700_000_000e9)
	db3 := need.Bag(t, "db3")
	for _, path := range []string{
		"../../test/data/librealsense/sw_small_lz4.bag", "../../test/data/librealsense/sw_small_raw.bag",
		filepath.Join(db3, "sdk_rec_raw.db3"), filepath.Join(db3, "public", "rosbag2_talker.mcap"),
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := open(t, path)
			moved := b.Shifted(by)
			want := list(t, b)
			for i := range want {
				if want[i].time > bagstore.MinTime {
					want[i].time += by
				}
			}
			if got := list(t, moved); !slices.Equal(got, want) {
				t.Errorf("%d messages, want %d, or others", len(got), len(want))
			}
			if moved.Start() != want[0].time || moved.End() != want[len(want)-1].time {
				t.Errorf("from %d to %d, want %d to %d", moved.Start(), moved.End(), want[0].time, want[len(want)-1].time)
			}
			middle := slices.IndexFunc(want, func(l listed) bool { return l.time == want[len(want)/2].time })
			last := len(want) - 1
			for ; want[last].time == want[len(want)-1].time; last-- {
			}
			v := moved.View(bagstore.Query{Start: want[middle].time, End: want[last].time})
			if n := v.Count(); n != uint64(last+1-middle) {
				t.Errorf("a part has %d messages, want %d", n, last+1-middle)
			}
			it := v.Iterator()
			defer it.Close()
			it.SeekEnd()
			for i := last; i >= middle; i-- {
				if !it.Prev() || it.Message().Time != want[i].time || hash(it.Message().Data) != want[i].sum {
					t.Fatalf("backward, message %d at %d: %v; want one at %d", i, it.Message().Time, it.Err(), want[i].time)
				}
			}
			if it.Prev() {
				t.Error("there is a message before the part")
			}
		})
	}
}

// TestShiftedTooFar keeps the times within those of a bag.
func TestShiftedTooFar(t *testing.T) {
	b := open(t, "../../test/data/librealsense/sw_small_lz4.bag").Shifted(bagstore.MaxTime.Add(-time.Second))
	if b.Start() != bagstore.MinTime || b.End() != bagstore.MaxTime {
		t.Errorf("from %d to %d", b.Start(), b.End())
	}
	if n := len(list(t, b)); n == 0 {
		t.Error("no messages")
	}
}
