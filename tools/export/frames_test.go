package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/bagset"
)

// pipedFrame is what a program reads of a frame.
type pipedFrame struct {
	frameHead
	data []byte
}

// piped returns the frames of a recording as a program reads them.
func piped(t *testing.T, bag string, s bagset.Selection) (frames []pipedFrame, log string, err error) {
	t.Helper()
	var out, lines bytes.Buffer
	err = Frames(t.Context(), Options{Bag: bag, Selection: s, Log: zerolog.New(&lines)}, &out)
	for in := bufio.NewReader(&out); ; {
		line, end := in.ReadBytes('\n')
		if end == io.EOF && len(line) == 0 {
			return frames, lines.String(), err
		}
		var f pipedFrame
		need.Must(t, json.Unmarshal(line, &f.frameHead))
		f.data = make([]byte, f.Size)
		_, end = io.ReadFull(in, f.data)
		need.Must(t, end)
		frames = append(frames, f)
	}
}

// TestFramesOfRecording checks that every frame is what librealsense was given, with its metadata.
func TestFramesOfRecording(t *testing.T) {
	given := readSDKManifest(t, "sw_small_lz4.manifest.json")
	frames, _, err := piped(t, samplebag.Data(t, "sw_small_lz4.bag"), bagset.Selection{})
	need.Must(t, err)
	next, last := map[string]int{}, int64(0)
	for _, f := range frames {
		if f.Time < last {
			t.Errorf("%s %d is at %d, after one at %d", f.Stream, f.Number, f.Time, last)
		}
		last = f.Time
		for sensor, want := range given.Streams {
			if !strings.HasSuffix(sensor, "/"+f.Stream) {
				continue
			}
			w := want[next[f.Stream]]
			next[f.Stream]++
			if f.Number != w.Num || math.Abs(f.Stamp-w.TS) > 0.002 || f.Units != w.Units {
				t.Fatalf("%s: %+v, want %+v", f.Stream, f.frameHead, w)
			}
			for key, v := range w.MD {
				if got, ok := f.Metadata[key]; !ok || got != v {
					t.Errorf("%s %d: %s is %d, want %d", f.Stream, f.Number, key, got, v)
				}
			}
			switch h := fnv.New64a(); {
			case w.XYZ != nil:
				if _, data, _ := (frameHead{}).sample(w.XYZ); !bytes.Equal(f.data, data) || f.Encoding != "float64" {
					t.Errorf("%s %d: % x, want % x", f.Stream, f.Number, f.data, data)
				}
			case f.Stream == "Pose_0":
				if f.Size != 19*8 {
					t.Errorf("%d bytes of a pose", f.Size)
				}
			default:
				h.Write(f.data)
				if got := fmt.Sprintf("%016x", h.Sum64()); got != w.Hash {
					t.Errorf("%s %d has other pixels: %s, want %s", f.Stream, f.Number, got, w.Hash)
				}
			}
		}
	}
	for sensor, want := range given.Streams {
		if _, stream, _ := strings.Cut(sensor, "/"); next[stream] != len(want) {
			t.Errorf("%s: %d frames, want %d", stream, next[stream], len(want))
		}
	}
}

// TestFramesOfDamagedRecording checks that missing frames are no success.
func TestFramesOfDamagedRecording(t *testing.T) {
	bag := samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag")
	whole, _, err := piped(t, bag, bagset.Selection{})
	need.Must(t, err)
	samplebag.LoseChunk(t, bag, 1)
	frames, _, err := piped(t, bag, bagset.Selection{})
	if len(frames) == 0 || len(frames) >= len(whole) || !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("%d of %d frames, %v", len(frames), len(whole), err)
	}
}

// TestFramesOfTopics checks the images of topics, and what is said of those that are none.
func TestFramesOfTopics(t *testing.T) {
	bag := camera(t)
	frames, log, err := piped(t, bag, bagset.Selection{})
	need.Must(t, err)
	var got []string
	for _, f := range frames {
		got = append(got, fmt.Sprintf("%s %s %dx%d/%d %d", f.Stream, f.Encoding, f.Width, f.Height, f.Stride, f.Size))
		if f.Number != 7 || f.Stamp != 5000 {
			t.Errorf("%+v", f.frameHead)
		}
	}
	want := []string{"/depth 16UC1 2x2/6 10", "/depth 16UC1 2x2/4 8", "/rgb bgr8 2x2/6 12", "/rgba rgba8 2x2/8 16",
		"/yuv yuv422 2x2/4 8", "/float 32FC1 2x2/8 16", "/strange 13XY2 2x2/4 8", "../../escape me/.. mono8 2x2/2 4",
		"/packed mono8 8x8/8 64", "/imu float64 0x0/0 80"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q\n%s", got, want, log)
	}
	frames, _, err = piped(t, bag, bagset.Selection{Topics: []string{"/packed", "/name"}})
	if len(frames) != 1 || err != nil {
		t.Errorf("%d frames, %v", len(frames), err)
	}
	_, _, err = piped(t, bag, bagset.Selection{Topics: []string{".*/Depth_0/.*", "/cloud"}, Regex: true})
	if !errors.Is(err, bagset.ErrSelection) || !strings.Contains(err.Error(), "/depth, /rgb") {
		t.Errorf("nothing is selected: %v", err)
	}
	if _, _, err = piped(t, samplebag.Torn(t), bagset.Selection{}); !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("a torn bag: %v", err)
	}
	odd := filepath.Join(t.TempDir(), "odd.bag")
	w := samplebag.Create(t, odd, bagstore.Options{})
	var e msgs.Encoder
	(&msgs.Header{}).Append(&e)
	e.String("jpeg")
	e.Bytes([]byte("\xff\xd8\xffno image"))
	w.Put(samplebag.Topic("/odd", "sensor_msgs/CompressedImage"), 1e9, e.B)
	w.Put(samplebag.Topic("/short", "sensor_msgs/Imu"), 1e9, []byte{1, 2, 3})
	w.Done()
	frames, log, err = piped(t, odd, bagset.Selection{})
	if len(frames) != 0 || !errors.Is(err, program.ErrIncomplete) || strings.Count(log, "left out") != 2 {
		t.Errorf("messages without an image: %d frames, %v\n%s", len(frames), err, log)
	}
}
