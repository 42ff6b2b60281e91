package rsbag

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
)

// nativeAt is the time of the first frame of these recordings.
const nativeAt = epochTimes + bagstore.Time(time.Hour)

// nativeImage adds a camera node's 4x2 depth image with its own stamp.
func (o *odd) nativeImage(at bagstore.Time, topic, info string, stamp msgs.Time) {
	h := msgs.Header{Stamp: stamp, FrameID: "camera_depth_optical_frame"}
	o.add(at, info, "sensor_msgs/CameraInfo", msgs.Marshal(&msgs.CameraInfo{Header: h, Height: 2, Width: 4}))
	head := msgs.ImageHead{Header: h, Height: 2, Width: 4, Encoding: "16UC1", Step: 8, DataLen: 16}
	o.add(at, topic, "sensor_msgs/Image", msgs.Marshal(&head), make([]byte, 16))
}

func (o *odd) nativeDepth(at bagstore.Time, stamp msgs.Time) {
	o.nativeImage(at, "/camera/depth/image_rect_raw", "/camera/depth/camera_info", stamp)
}

// exposures adds the values that an option takes in one message.
func (o *odd) exposures(at bagstore.Time, prefix string, values ...int32) {
	var c msgs.Config
	for _, v := range values {
		c.Ints = append(c.Ints, msgs.Param[int32]{Name: "exposure", Value: v})
	}
	o.add(at, prefix+"stereo_module/parameter_updates", "dynamic_reconfigure/Config", msgs.Marshal(&c))
}

// changes lists the values that options take.
func changes(t *testing.T, f *File) (list []float32) {
	t.Helper()
	c := f.Cursor(CursorOptions{})
	defer c.Close()
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		if e.Option != nil {
			list = append(list, e.Option.Value)
		}
	}
	return list
}

// TestNativeOptionsAtOnce checks that messages of equal time, on two topics, are separate changes, in
// message order.
func TestNativeOptionsAtOnce(t *testing.T) {
	const n = 300
	o := newOdd(t)
	o.nativeDepth(nativeAt, 1)
	o.exposures(nativeAt, "/camera/", 1)
	later := nativeAt + bagstore.Time(time.Second)
	var want []float32
	for i := range int32(n) {
		o.exposures(later, []string{"/camera/", "/"}[i%2], i+2)
		want = append(want, float32(i+2))
	}
	o.nativeDepth(later, 2)
	f := o.openNode()
	if got := changes(t, f); !slices.Equal(got, want) {
		t.Errorf("%d changes %v, want %d", len(got), got[:min(len(got), 10)], n)
	}
	first := time.Duration(firstFrame)
	for at, want := range map[time.Duration]float32{first: 1, first + time.Second - 1: 1, first + time.Second: n + 1, first + time.Hour: n + 1} {
		for _, o := range f.OptionsAt(0, at) {
			if o.ID == camdriver.OptionExposure && o.Value != want {
				t.Errorf("at %v the exposure is %v, want %v", at, o.Value, want)
			}
		}
	}
}

// TestNativeOptionsMany checks that the number of changes kept doesn't depend on the number in a
// message, and that the rest is noted.
func TestNativeOptionsMany(t *testing.T) {
	o := newOdd(t)
	o.nativeDepth(nativeAt, 1)
	values := make([]int32, maxChanges+10)
	for i := range values {
		values[i] = int32(i % 2)
	}
	o.exposures(nativeAt, "/camera/", values...)
	f := o.openNode()
	if got := changes(t, f); len(got) != maxChanges {
		t.Errorf("%d changes, want %d", len(got), maxChanges)
	}
	if len(f.Omissions()) != 1 || !noted(f, "changes of options") {
		t.Errorf("left %q", f.Omissions())
	}
}

// TestNativeOptionsDamaged checks that changes after a damaged one are found, and that the damage is
// noted.
func TestNativeOptionsDamaged(t *testing.T) {
	o := newOdd(t)
	o.nativeDepth(nativeAt, 1)
	for i := range int32(5) {
		o.exposures(nativeAt+bagstore.Time(i)*bagstore.Time(time.Second), "/camera/", 1000+i)
	}
	f := o.openBy(func(path string) (*File, error) {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		message := msgs.Marshal(&msgs.Config{Ints: []msgs.Param[int32]{{Name: "exposure", Value: 1002}}})
		at := bytes.Index(b, message)
		binary.LittleEndian.PutUint32(b[at-4:], 1<<31) // the record's length
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return nil, err
		}
		return Open(path, Options{CameraNodes: true})
	})
	if got := changes(t, f); !slices.Equal(got, []float32{1001, 1003, 1004}) {
		t.Errorf("changes %v", got)
	}
	if len(f.Omissions()) != 1 || !noted(f, "messages about the camera that are damaged: 1") {
		t.Errorf("left %q", f.Omissions())
	}
}

// TestNativeFramesDamaged checks that a stream whose frames are all damaged isn't read to its end, and
// that this is noted.
func TestNativeFramesDamaged(t *testing.T) {
	o := newOdd(t)
	for i := range bagstore.Time(maxErrors + 100) {
		o.nativeDepth(nativeAt+i*bagstore.Time(time.Millisecond), msgs.Time(i))
	}
	f := o.openBy(func(path string) (*File, error) {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		head := msgs.Marshal(&msgs.ImageHead{Header: msgs.Header{FrameID: "camera_depth_optical_frame"}, Height: 2, Width: 4, Encoding: "16UC1", Step: 8, DataLen: 16})
		for at, rest := 0, head[12:]; ; at += len(rest) {
			n := bytes.Index(b[at:], rest)
			if n < 0 {
				break
			}
			at += n
			binary.LittleEndian.PutUint32(b[at-12-4:], 1<<31) // the record's length
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return nil, err
		}
		return Open(path, Options{CameraNodes: true})
	})
	if !noted(f, fmt.Sprintf("frames of Depth_0 that are damaged: %d;", maxErrors)) {
		t.Errorf("left %q", f.Omissions())
	}
}
