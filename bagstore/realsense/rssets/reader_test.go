package rssets_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/test/need"
)

// sets lists a reader's results: a set by its time and its frames, a sample by its stream.
func sets(t *testing.T, r *rssets.Reader) (out []string) {
	t.Helper()
	for {
		e, ok := r.Next()
		if !ok {
			return out
		}
		text := []string{e.At.String()}
		for _, img := range e.Set.Images {
			text = append(text, fmt.Sprint(img.Frame.Stream(), img.Frame.Number))
		}
		if len(e.Set.Images) == 0 {
			text = append(text, e.Frame.Stream().String())
		}
		out = append(out, strings.Join(text, " "))
		e.Release()
	}
}

func openFile(t *testing.T, path string, o rssets.Options) (*rssets.Reader, *rsbag.File) {
	t.Helper()
	file, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	t.Cleanup(func() { file.Close() })
	o.Rig = process.NewRig(file.Snapshot())
	r := rssets.NewReader(file, o)
	t.Cleanup(r.Close)
	return r, file
}

// The sets after a time are the same wherever reading starts.
func TestSetsDontDependOnTheStart(t *testing.T) {
	for _, path := range []string{"../../../camdriver/process/testdata/unpleasant.bag", "../../../test/data/librealsense/sw_small_lz4.bag"} {
		r, file := openFile(t, path, rssets.Options{Match: true})
		all := sets(t, r)
		at := func(text string) time.Duration {
			when, _, _ := strings.Cut(text, " ")
			d, err := time.ParseDuration(when)
			need.Must(t, err)
			return d
		}
		frames := uint64(0)
		for _, text := range all {
			frames += uint64(max(len(strings.Fields(text))/2, 1))
		}
		want := uint64(0)
		for _, s := range file.Streams() {
			want += s.Frames
		}
		if frames != want {
			t.Errorf("%s: %d frames in sets, want %d", path, frames, want)
		}
		for i := range 20 {
			from := file.Duration() * time.Duration(i) / 19
			r.Seek(from)
			first := slices.IndexFunc(all, func(text string) bool { return at(text) >= from })
			if first < 0 {
				first = len(all)
			}
			if got := sets(t, r); !slices.Equal(got, all[first:]) {
				t.Errorf("%s from %v: %d sets beginning with %q, want %d with %q", path, from,
					len(got), got[:min(1, len(got))], len(all)-first, all[first:min(first+1, len(all))])
			}
		}
	}
}

// Without matching, or with one stream, each frame is a set.
func TestUnmatched(t *testing.T) {
	depth := func(id camdriver.StreamID) bool { return id.Kind == camdriver.Depth }
	for _, match := range []bool{false, true} {
		r, _ := openFile(t, "../../../camdriver/process/testdata/unpleasant.bag", rssets.Options{Match: match, Streams: depth})
		for i, text := range sets(t, r) {
			if !strings.HasSuffix(text, fmt.Sprint("Depth_0 ", 100+i)) {
				t.Errorf("set %d is %s", i, text)
			}
		}
	}
}
