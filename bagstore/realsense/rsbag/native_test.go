package rsbag

import (
	"bytes"
	"math"
	"testing"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
)

// TestNative makes recordings as by a camera node and ros2 bag record from the frames of a RealSense
// bag, and checks that both read the same.
func TestNative(t *testing.T) {
	path := need.Bag(t, "db3/own_native.db3")
	if _, err := Open(path, Options{}); err == nil {
		t.Error("it has the layout")
	}
	got, err := Open(path, Options{CameraNodes: true})
	need.Must(t, err)
	defer got.Close()
	want, err := Open(need.Bag(t, "librealsense/sw_small_pause.bag"), Options{})
	need.Must(t, err)
	defer want.Close()
	for i, name := range []string{"RGB Camera", "Stereo Module", "Motion Module"} {
		if s := got.Snapshot().Sensors; i >= len(s) || s[i].Name != name {
			t.Fatalf("sensors %v", s)
		}
	}
	for _, s := range got.Snapshot().Streams {
		id := s.Profile.Stream
		w := want.stream(id)
		if w == nil {
			t.Errorf("stream %s is new", id)
			continue
		}
		p := s.Profile
		if p.Format != w.profile.Format || p.Width != w.profile.Width || p.Height != w.profile.Height || p.FPS < w.profile.FPS*8/10 || p.FPS > w.profile.FPS {
			t.Errorf("%s: %v, want %v", id, p, w.profile)
		}
		if id.Kind.Video() && (s.Video == nil || s.Video.Fx != want.Snapshot().Streams[0].Video.Fx && s.Video.Fx <= 0) {
			t.Errorf("%s: intrinsics %v", id, s.Video)
		}
		sameFrames(t, id, framesOf(t, got, id), framesOf(t, want, id))
	}
	if n := len(got.Snapshot().Streams); n != 6 {
		t.Errorf("%d streams", n)
	}
	t.Log(got.Notes())
}

func framesOf(t *testing.T, f *File, id camdriver.StreamID) (list []*camdriver.Frame) {
	t.Helper()
	c := f.Cursor(CursorOptions{FramesOnly: true, Streams: Only(id)})
	defer c.Close()
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		list = append(list, e.Frame.Retain())
	}
	return list
}

func sameFrames(t *testing.T, id camdriver.StreamID, got, want []*camdriver.Frame) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d frames, want %d", id, len(got), len(want))
		return
	}
	for i, f := range got {
		if f.Number != uint64(i+1) || !bytes.Equal(f.Data, want[i].Data) || f.Motion.Gyro != want[i].Motion.Gyro || f.Motion.Accel != want[i].Motion.Accel {
			t.Errorf("%s: frame %d (number %d) differs", id, i, f.Number)
			return
		}
	}
}

// TestPlace checks that extrinsics are those of the optical frames in /tf_static, and that a cyclic
// tree has no root.
func TestPlace(t *testing.T) {
	tree := map[string]tfLink{"a": {"b", camdriver.Identity()}, "b": {"a", camdriver.Identity()}}
	if _, _, ok := toRoot(tree, "a", map[string]bool{}); ok {
		t.Error("a circle has a root")
	}
	optical := msgs.Quaternion{X: -0.5, Y: 0.5, Z: -0.5, W: 0.5}
	list := &msgs.TFMessage{}
	for _, l := range []struct {
		parent, child string
		t             msgs.Transform
	}{
		{"camera_link", "depth_frame", msgs.Transform{Rotation: msgs.Quaternion{W: 1}}},
		{"depth_frame", "depth_optical", msgs.Transform{Rotation: optical}},
		{"camera_link", "color_frame", msgs.Transform{Translation: msgs.Vector3{Y: 0.015}, Rotation: msgs.Quaternion{W: 1}}},
		{"color_frame", "color_optical", msgs.Transform{Rotation: optical}},
	} {
		list.Transforms = append(list.Transforms, msgs.TransformStamped{Header: msgs.Header{FrameID: l.parent}, ChildFrameID: l.child, Transform: l.t})
	}
	readTree(tree, bagstore.Message{Stored: bagstore.Stored{Data: msgs.Marshal(list)}})
	used := make(map[string]bool)
	depth, root, ok := toRoot(tree, "depth_optical", used)
	color, other, ok2 := toRoot(tree, "color_optical", used)
	if !ok || !ok2 || root != "camera_link" || root != other {
		t.Fatalf("roots %q, %q, %v, %v", root, other, ok, ok2)
	}
	if len(used) != 4 {
		t.Errorf("the places depend on the frames %v", used)
	}
	// 15 mm to the left of depth: points of depth are 15 mm further right for colour.
	got := depth.Then(color.Inverse()).Apply([3]float64{0.1, 0.2, 1})
	for i, want := range []float64{0.115, 0.2, 1} {
		if math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("point %v", got)
		}
	}
}
