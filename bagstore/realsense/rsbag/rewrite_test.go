package rsbag_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/rewrite"
)

// A part cut from a recording is itself a recording: each describes the device.
func TestCutRecordingsKeepTheirDescription(t *testing.T) {
	in := filepath.Join("..", "..", "..", "test", "data", "librealsense", "sw_small_lz4.bag")
	dir := t.TempDir()
	cut := filepath.Join(dir, "cut.bag")
	from := bagstore.Time(time.Second)
	bag := samplebag.Open(t, in)
	if _, err := rewrite.Merge(t.Context(), []*bagstore.Recording{bag}, cut, rewrite.Options{Filter: bagstore.Filter{Start: from}}); err != nil {
		t.Fatal(err)
	}
	parts, err := rewrite.Split(t.Context(), bag, func(n int) string {
		return filepath.Join(dir, fmt.Sprintf("part_%d.bag", n))
	}, rewrite.SplitOptions{Duration: 700 * time.Millisecond})
	if err != nil || len(parts) != 3 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	whole, err := rsbag.Open(in, rsbag.Options{})
	need.Must(t, err)
	defer whole.Close()
	frames := map[string]uint64{}
	for _, path := range []string{cut, parts[0].Path, parts[1].Path, parts[2].Path} {
		f, err := rsbag.Open(path, rsbag.Options{})
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		if got, want := f.Snapshot(), whole.Snapshot(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s describes\n%+v\nthe whole\n%+v", filepath.Base(path), got, want)
		}
		for _, s := range f.Streams() {
			if path != cut {
				frames[fmt.Sprint(s.Profile.Stream)] += f.Frames(s.Profile.Stream)
			}
		}
		f.Close()
	}
	for _, s := range whole.Streams() {
		id := s.Profile.Stream
		if frames[id.String()] != whole.Frames(id) {
			t.Errorf("the parts hold %d frames of %s, the whole %d", frames[id.String()], id, whole.Frames(id))
		}
	}
}
