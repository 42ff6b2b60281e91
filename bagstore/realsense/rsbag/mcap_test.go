package rsbag

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestMCAP checks that an MCAP of two devices, a topic and images that are lent has the messages that a bag of the same has,
// and that one whose recorder was killed has all up to its last commit.
func TestMCAP(t *testing.T) {
	for name, bag := range map[string]bagstore.Options{"none": {}, "zstd": {Compression: bagstore.Zstd}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var all [][]string
			for _, file := range []string{"x.bag", "x.mcap"} {
				path := filepath.Join(dir, file)
				o := RecorderOptions{Clocks: true, Host: "host", Bag: bag}
				if file == "x.bag" {
					o.Bag = bagstore.Options{}
				}
				r := recordTwo(t, path, o)
				large := testFrame(testSnapshot().Streams[0].Profile, 10, testStart.Add(10*time.Second))
				large.Data = bytes.Repeat([]byte("pixels"), 1<<17)
				large.Width, large.Stride, large.Height = len(large.Data)/2, len(large.Data), 1
				need.Must(t, r.Frame(0, large))
				need.Must(t, r.out.Checkpoint())
				content, err := os.ReadFile(path)
				need.Must(t, err)
				killed := filepath.Join(dir, "killed_"+file)
				need.Must(t, os.WriteFile(killed, content, 0o600))
				if size := r.Size(); size != int64(len(content)) && file == "x.mcap" {
					t.Errorf("%d bytes, the file has %d", size, len(content))
				}
				need.Must(t, r.Close())
				st := r.Stats()
				if i, err := os.Stat(path); err != nil || i.Size() != st.Size || st.Messages != 10 || !slices.Equal(st.Topics, []string{"/odom"}) || st.Streams[0].Frames != 10 {
					t.Errorf("%s: %v, %+v", path, err, st)
				}
				list := messagesOf(t, path)
				atEnd := func(m string) bool { return strings.Contains(m, "additional_info") } // how the clocks relate
				got, want := slices.DeleteFunc(messagesOf(t, killed), atEnd), slices.DeleteFunc(slices.Clone(list), atEnd)
				if !slices.Equal(got, want) {
					t.Errorf("%s: killed, it has %d messages, want %d", path, len(got), len(want))
				}
				all = append(all, list)
				for camera, frames := range map[string]uint64{"0": 10, "1": 7} {
					f, err := Open(path, Options{Camera: camera})
					need.Must(t, err)
					defer f.Close()
					if n := f.Frames(camdriver.DepthStream); n != frames || len(f.Notes()) > 0 {
						t.Errorf("%s: device %s has %d frames, %q", path, camera, n, f.Notes())
					}
				}
			}
			if !slices.Equal(all[0], all[1]) {
				t.Errorf("%d messages of a bag, %d of an MCAP", len(all[0]), len(all[1]))
			}
		})
	}
}

// messagesOf returns the messages of a recording with their connections, in order.
func messagesOf(t *testing.T, path string) (list []string) {
	t.Helper()
	b, err := recording.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer b.Close() //nolint:errcheck // only read
	samplebag.Each(t, func(m bagstore.Message) {
		c := *m.Conn
		c.ID = 0
		list = append(list, fmt.Sprintf("%d %+v %x", m.Time, c, sha256.Sum256(m.Data)))
	}, b)
	return list
}
