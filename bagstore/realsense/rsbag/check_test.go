package rsbag

import (
	"reflect"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
)

// TestCheckInSteps checks that checking the layout together with the structure, chunk by chunk, finds
// the same as checking it alone.
func TestCheckInSteps(t *testing.T) {
	for _, name := range []string{"sw_small_raw", "sw_small_lz4", "sw_small_pause"} {
		t.Run(name, func(t *testing.T) {
			f := openSample(t, name)
			alone, err := NewChecker(f.Bag())
			need.Must(t, err)
			defer alone.Close()
			want := alone.Report()
			c, err := NewChecker(f.Bag())
			need.Must(t, err)
			defer c.Close()
			rep, err := rosbag.FileOf(f.Bag()).Check(t.Context(), bagstore.CheckOptions{Before: c.Before})
			if err != nil || rep.Outcome != bagstore.Sound {
				t.Fatal(rep, err)
			}
			if before := len(c.last) > 0; before != (len(f.segments) == 1) {
				t.Errorf("frames were read beside the structure: %v", before)
			}
			if got := c.Report(); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
