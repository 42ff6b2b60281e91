package naming

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/rig"
)

func TestDepthIsMillimetres(t *testing.T) {
	for name, c := range map[string]struct {
		units    float32
		in, want uint16
		copied   bool
	}{
		"millimetres already":  {0.001, 1234, 1234, false},
		"unknown units":        {0, 1234, 1234, false},
		"tenths":               {0.0001, 12346, 1235, true},
		"quarter millimetres":  {0.00025, 10, 3, true},
		"too far for 16 bits":  {0.01, 60000, math.MaxUint16, true},
		"nothing stays hidden": {0.0001, 0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			pool := camdriver.NewPool(1 << 20)
			f := rig.DepthFrame(c.units, c.in)
			pixels, owner := millimetres(f, pool)
			if got := uint16(pixels[0]) | uint16(pixels[1])<<8; got != c.want {
				t.Errorf("%d units of %v m became %d mm, want %d", c.in, c.units, got, c.want)
			}
			if copied := &pixels[0] != &f.Data[0]; copied != c.copied {
				t.Errorf("copied: %v, want %v", copied, c.copied)
			}
			owner.Release()
			if pool.InUse() != 0 {
				t.Error("the buffer didn't come back")
			}
		})
	}
}

func TestMetadataJSON(t *testing.T) {
	f := rig.DepthFrame(0.001, 1)
	f.Number, f.Timestamp, f.Domain = 42, 1700000000000.25, camdriver.GlobalTime
	f.Metadata = []camdriver.MetadataValue{{Key: camdriver.MetaFrameTimestamp, Value: 7}, {Key: camdriver.MetaActualExposure, Value: -1}}
	text := metadataJSON(f)
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	want := map[string]any{
		"frame_number": 42.0, "clock_domain": "global_time", "frame_timestamp": 1700000000000.25,
		"hw_timestamp": 7.0, "actual_exposure": -1.0,
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %v, want %v", k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

func TestWrapperNames(t *testing.T) {
	for id, want := range map[camdriver.StreamID]string{
		{Kind: camdriver.Depth}:              "depth",
		{Kind: camdriver.Infrared}:           "infra",
		{Kind: camdriver.Infrared, Index: 2}: "infra2",
		{Kind: camdriver.Gyro}:               "gyro",
	} {
		if got := rslayout.NodeName(id); got != want {
			t.Errorf("%v is called %s, want %s", id, got, want)
		}
	}
}

func TestHardwareClockIsStampedFromTheFirstArrival(t *testing.T) {
	arrival := time.Unix(1_700_000_000, 0)
	frame := func(ms float64, d camdriver.Domain, at time.Time) *camdriver.Frame {
		f := camdriver.NewFrame(nil)
		f.Timestamp, f.Domain, f.Arrival = ms, d, at
		return f
	}
	var s Stamper
	first := s.Stamp(frame(5000, camdriver.HardwareClock, arrival))
	if want := msgs.FromTime(arrival); first != want {
		t.Errorf("the first frame is stamped %d, want its arrival %d", first, want)
	}
	// The second frame arrives late, but its stamp isn't affected.
	second := s.Stamp(frame(5033.5, camdriver.HardwareClock, arrival.Add(time.Second)))
	if got := time.Duration(second - first); got != 33500*time.Microsecond {
		t.Errorf("frames 33.5 ms apart are stamped %v apart", got)
	}
	if got := s.Stamp(frame(1234.5, camdriver.SystemTime, arrival)); got != 1234500000 {
		t.Errorf("system time 1234.5 ms is stamped %d", got)
	}
	s.reset()
	if got := s.Stamp(frame(1, camdriver.HardwareClock, arrival.Add(time.Hour))); got != msgs.FromTime(arrival.Add(time.Hour)) {
		t.Error("a reset camera kept its old time base")
	}
}

// A point in front of the depth camera must be in front of its body frame, and a point seen by both
// cameras must have the same coordinates in camera_link.
func TestStaticTransforms(t *testing.T) {
	depth, color := camdriver.DepthStream, camdriver.ColorStream
	toColor := camdriver.FromQuaternion([4]float64{0.01, -0.02, 0.005, 1}, [3]float64{0.015, 0.001, -0.002})
	identity := camdriver.Identity()
	m := staticTransforms(&WrapperOptions{Camera: "cam"}, camdriver.DeviceSnapshot{Reference: depth, Streams: []camdriver.StreamSnapshot{
		{Profile: camdriver.Profile{Stream: depth}, Extrinsic: &identity},
		{Profile: camdriver.Profile{Stream: color}, Extrinsic: &toColor},
	}})
	tree := map[string]msgs.TransformStamped{}
	for _, tr := range m.Transforms {
		tree[tr.ChildFrameID] = tr
	}
	inLink := func(frame string, p [3]float64) [3]float64 {
		for frame != "cam_link" {
			tr, ok := tree[frame]
			if !ok {
				t.Fatalf("frame %s hangs in the air", frame)
			}
			r, v := tr.Transform.Rotation, tr.Transform.Translation
			p = camdriver.FromQuaternion([4]float64{r.X, r.Y, r.Z, r.W}, [3]float64{v.X, v.Y, v.Z}).Apply(p)
			frame = tr.Header.FrameID
		}
		return p
	}
	seen := [3]float64{0.3, -0.2, 2} // by depth: right, up, ahead
	want := [3]float64{2, -0.3, 0.2}
	for frame, p := range map[string][3]float64{"cam_depth_optical_frame": seen, "cam_color_optical_frame": toColor.Apply(seen)} {
		got := inLink(frame, p)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Errorf("%v in %s is %v in cam_link, want %v", p, frame, got, want)
				break
			}
		}
	}
}

func TestStereoBaselineInP(t *testing.T) {
	ex := camdriver.Extrinsics{Rotation: camdriver.Identity().Rotation, Translation: [3]float64{-0.05, 0, 0}}
	info := cameraInfo(camdriver.StreamSnapshot{
		Profile:   camdriver.Profile{Stream: camdriver.RightStream, Width: 640, Height: 480},
		Video:     &camdriver.Intrinsics{Fx: 400, Fy: 401, Ppx: 320, Ppy: 240},
		Extrinsic: &ex,
	})
	if math.Abs(info.P[3]-(-20)) > 1e-9 {
		t.Errorf("P[3] = %v, want −fx·b = -20", info.P[3])
	}
	if info.K[0] != 400 || info.K[4] != 401 || info.K[2] != 320 || info.K[8] != 1 || info.DistortionModel != "plumb_bob" {
		t.Errorf("camera info %+v", info)
	}
}
