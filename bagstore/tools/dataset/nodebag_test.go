package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/tools/bagset"
	"rsros/msgs"
)

// writeNode writes a bag as of a camera node: an image of colour and of depth with each stamp, recorded 33 ms
// apart, and joints 5 ms before each, the first of all messages.
func writeNode(t *testing.T, stamps []int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "node.bag")
	w, err := bagstore.Create(path, bagstore.Options{Checkpoint: -1})
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]uint32)
	write := func(topic, kind string, at int64, data []byte) {
		id, ok := ids[topic]
		if !ok {
			typ := msgs.MustType(kind)
			if id, err = w.AddConnection(bagstore.Connection{Topic: topic, Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition}); err != nil {
				t.Fatal(err)
			}
			ids[topic] = id
		}
		if err := w.Write(id, bagstore.Time(at), data); err != nil {
			t.Fatal(err)
		}
	}
	for i, stamp := range stamps {
		at := walkStart + int64(i)*33_000_000
		write("/joint_states", "sensor_msgs/JointState", at-5_000_000, jointStates(i, msgs.Time(stamp-5_000_000)))
		for _, c := range []struct {
			name, encoding string
			size           int
		}{{"color", "rgb8", 3}, {"depth", "16UC1", 2}} {
			h := msgs.Header{Seq: uint32(i), Stamp: msgs.Time(stamp), FrameID: c.name}
			write("/camera/"+c.name+"/camera_info", "sensor_msgs/CameraInfo", at, msgs.Marshal(&msgs.CameraInfo{Header: h, Height: 3, Width: 4, DistortionModel: "plumb_bob",
				D: make([]float64, 5), K: [9]float64{20, 0, 2, 0, 20, 1, 0, 0, 1}, R: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, P: [12]float64{20, 0, 2, 0, 0, 20, 1, 0, 0, 0, 1, 0}}))
			pixels := make([]byte, 12*c.size)
			pixels[0] = byte(i)
			var e msgs.Encoder
			head := msgs.ImageHead{Header: h, Height: 3, Width: 4, Encoding: c.encoding, Step: uint32(4 * c.size), DataLen: uint32(len(pixels))}
			head.Append(&e)
			write("/camera/"+c.name+"/image_raw", "sensor_msgs/Image", at, append(e.B, pixels...))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func everyFrame(n int) (stamps []int64) {
	for i := range int64(n) {
		stamps = append(stamps, walkStart+i*33_000_000)
	}
	return stamps
}

// TestMessageBeforeFrames checks times and states of a recording whose first message comes before its first
// frame.
func TestMessageBeforeFrames(t *testing.T) {
	in := writeNode(t, everyFrame(30))
	dir := whole(t, Options{In: []string{in}, Form: "lerobot", Robot: &Robot{Task: "wave", MaxAge: 200 * time.Millisecond}})
	list := rowsOf(t, filepath.Join(dir, "data/chunk-000/file-000.parquet"))
	if len(list) != 30 {
		t.Errorf("%d rows, want 30", len(list))
	}
	for i, row := range list {
		if state := row["observation.state"].([]any); state[0].(float32) != float32(i) {
			t.Errorf("row %d has the state %v", i, state)
		}
	}
	// The selection counts from the first message, 5 ms before the first frame.
	dir = whole(t, Options{In: []string{in}, Form: "tum", Selection: bagset.Selection{Start: "0.3", End: "0.6"}})
	m := readManifest(t, dir).Sequences[0]
	if first, last := walkStart+9*33_000_000, walkStart+18*33_000_000; m.Sets != 10 || abs(m.First-first) > 200 || abs(m.Last-last) > 200 {
		t.Errorf("%d sets from %d to %d, want 10 from %d to %d", m.Sets, m.First-walkStart, m.Last-walkStart, first-walkStart, last-walkStart)
	}
}

func isLoss(err error) bool {
	_, ok := errors.AsType[*bagset.LossError](err)
	return ok
}

func abs(n int64) int64 { return max(n, -n) }

// TestStampTwice checks that images with the stamp of an earlier one are left out where the stamp is their name, and
// that stamps which go back are counted.
func TestStampTwice(t *testing.T) {
	stamps := everyFrame(12)
	stamps[5] = stamps[4]
	for i := 8; i < 12; i++ {
		stamps[i] = stamps[i-8] // the clock was set back; the first four images come again
	}
	in := writeNode(t, stamps)
	dir := filepath.Join(t.TempDir(), "set")
	if _, err := make1(t, Options{In: []string{in}, Form: "kalibr", Dir: dir}); !isLoss(err) {
		t.Fatal(err)
	}
	m := readManifest(t, dir).Sequences[0]
	left, err := os.ReadFile(filepath.Join(dir, "left_out.csv"))
	if err != nil || m.Sets != 7 || m.LeftOut != 5 || strings.Count(string(left), "the stamp of an earlier image") != 5 {
		t.Errorf("%d sets, %d left out, %v\n%s", m.Sets, m.LeftOut, err, left)
	}
	b, err := bagstore.Open(filepath.Join(dir, "kalibr.bag"), bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if n := b.MessageCount(); n != 7 {
		t.Errorf("%d messages in the bag, want 7", n)
	}
	dir = filepath.Join(t.TempDir(), "set")
	for i := range stamps[8:] {
		stamps[8+i]++ // no longer the same, but earlier
	}
	stamps[8] += 1_000_000
	if _, err := make1(t, Options{In: []string{writeNode(t, stamps)}, Form: "kalibr", Dir: dir}); !isLoss(err) {
		t.Fatal(err)
	}
	if m := readManifest(t, dir).Sequences[0]; m.Back != 1 {
		t.Errorf("stamps go back %d times, want 1", m.Back)
	}
}
