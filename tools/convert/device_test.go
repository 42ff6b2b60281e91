package convert

import (
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/replay"
	"rsros/replay/recorded"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// nodeBag writes what realsense2_camera would have published for a recording, and other
// topics of a robot.
type nodeBag struct {
	t *testing.T
	w *samplebag.Bag
	// These say what is missing; nil: nothing.
	noFrame, noMetadata func(*camdriver.Frame) bool
}

// nodeStart is the time of file time 0.
const nodeStart = bagstore.Time(1_700_000_000_000_000_000)

// nodeTopics are the parts of topics' names.
var nodeTopics = map[camdriver.StreamID]string{
	{Kind: camdriver.Depth}: "depth/image_rect_raw", {Kind: camdriver.Color}: "color/image_raw",
	{Kind: camdriver.Infrared, Index: 1}: "infra1/image_rect_raw", {Kind: camdriver.Infrared, Index: 2}: "infra2/image_rect_raw",
	{Kind: camdriver.Gyro}: "gyro/sample", {Kind: camdriver.Accel}: "accel/sample",
}

var nodeModules = map[string]string{"Stereo Module": "depth_module", "RGB Camera": "rgb_camera", "Motion Module": "motion_module"}

func (n *nodeBag) put(topic, typ string, at bagstore.Time, data []byte) {
	n.t.Helper()
	m, ok := msgs.Lookup(typ)
	if !ok {
		mapped, err := ros2.Map(strings.Replace(typ, "/", "/msg/", 1), "")
		if err != nil {
			n.t.Fatal(err)
		}
		m = mapped.Type
	}
	n.w.Put(bagstore.Connection{Topic: topic, Type: m.Name, MD5: m.MD5, Definition: m.Definition}, at, data)
}

// frame publishes a frame, and its metadata shortly before it.
func (n *nodeBag) frame(f *camdriver.Frame, at bagstore.Time, info *msgs.CameraInfo) {
	name, ok := nodeTopics[f.Stream()]
	if !ok {
		return
	}
	name = "/camera/camera/" + name
	beside := name[:strings.LastIndexByte(name, '/')+1]
	h := msgs.Header{Stamp: msgs.Time(at), FrameID: strings.ReplaceAll(f.Stream().String(), "_", "") + "_optical"}
	var js strings.Builder
	fmt.Fprintf(&js, `{"frame_number":%d,"clock_domain":"%s","frame_timestamp":%.6f`, f.Number, camdriver.SnakeCase(f.Domain.String()), f.Timestamp)
	for _, m := range f.Metadata {
		key := camdriver.SnakeCase(m.Key.String())
		if m.Key == camdriver.MetaFrameTimestamp {
			key = "hw_timestamp"
		}
		fmt.Fprintf(&js, `,"%s":%d`, key, m.Value)
	}
	if n.noMetadata == nil || !n.noMetadata(f) {
		n.put(beside+"metadata", "realsense2_camera/Metadata", at-1_000_000, msgs.Marshal(&msgs.Metadata{Header: h, JSONData: js.String() + "}"}))
	}
	if n.noFrame != nil && n.noFrame(f) {
		return
	}
	if f.Stream().Kind.Inertial() {
		n.put(name, "sensor_msgs/Imu", at, msgs.Marshal(&msgs.Imu{Header: h,
			AngularVelocity:    msgs.Vector3{X: f.Motion.Gyro[0], Y: f.Motion.Gyro[1], Z: f.Motion.Gyro[2]},
			LinearAcceleration: msgs.Vector3{X: f.Motion.Accel[0], Y: f.Motion.Accel[1], Z: f.Motion.Accel[2]}}))
		return
	}
	info.Header = h
	n.put(beside+"camera_info", "sensor_msgs/CameraInfo", at, msgs.Marshal(info))
	head := msgs.ImageHead{Header: h, Height: uint32(f.Height), Width: uint32(f.Width), Step: uint32(f.Stride), DataLen: uint32(len(f.Data)),
		Encoding: map[camdriver.Format]string{camdriver.Z16: "16UC1", camdriver.Y8: "mono8", camdriver.RGB8: "rgb8"}[f.Profile.Format]}
	n.put(name, "sensor_msgs/Image", at, append(msgs.Marshal(&head), f.Data...))
	if f.Stream().Kind == camdriver.Depth {
		n.put("/camera/camera/aligned_depth_to_color/image_raw", "sensor_msgs/Image", at, append(msgs.Marshal(&head), f.Data...))
		n.put("/camera/camera/aligned_depth_to_color/camera_info", "sensor_msgs/CameraInfo", at, msgs.Marshal(info))
	}
}

// parameters publishes options as ROS 2 does, and a parameter that isn't an option.
func (n *nodeBag) parameters(at bagstore.Time, sensor string, options ...rsbag.OptionChange) {
	var e msgs.Encoder
	e.Time(msgs.Time(at))
	e.String("/camera/camera")
	e.Len(0)
	e.Len(len(options) + 1)
	put := func(name string, kind uint8, v float32) {
		e.String(name)
		e.U8(kind)
		e.Bool(false)
		e.I64(int64(v))
		e.F64(float64(v))
		for range 6 {
			e.Len(0)
		}
	}
	for _, o := range options {
		kind := uint8(3)
		if o.Value == float32(int64(o.Value)) {
			kind = 2
		}
		put(nodeModules[sensor]+"."+camdriver.SnakeCase(o.ID.String()), kind, o.Value)
	}
	put("spatial_filter.filter_magnitude", 2, 2)
	e.Len(0)
	n.put("/parameter_events", "rcl_interfaces/ParameterEvent", at, e.B)
}

func (n *nodeBag) calibrations(snap camdriver.DeviceSnapshot) {
	for _, s := range snap.Streams {
		id := s.Profile.Stream
		short := strings.Split(nodeTopics[id], "/")[0]
		if s.Extrinsic != nil && id.Kind.Video() && id != snap.Reference {
			e := msgs.Extrinsics{Rotation: camdriver.Transpose(s.Extrinsic.Rotation), Translation: s.Extrinsic.Translation}
			n.put("/camera/camera/extrinsics/depth_to_"+short, "realsense2_camera/Extrinsics", nodeStart, msgs.Marshal(&e))
		}
		if s.Motion != nil && short != "" {
			m := msgs.IMUInfo{FrameID: short}
			for i, v := range s.Motion.Data {
				m.Data[i] = float64(v)
			}
			for i := range 3 {
				m.NoiseVariances[i], m.BiasVariances[i] = float64(s.Motion.NoiseVariances[i]), float64(s.Motion.BiasVariances[i])
			}
			n.put("/camera/camera/"+short+"/imu_info", "realsense2_camera/IMUInfo", nodeStart, msgs.Marshal(&m))
		}
	}
}

// writeNode writes the recording of a camera node.
func writeNode(t *testing.T, path string, from *rsbag.File, n nodeBag) {
	t.Helper()
	n.t, n.w = t, samplebag.Create(t, path, bagstore.Options{})
	snap := from.Snapshot()
	infos := make(map[camdriver.StreamID]*msgs.CameraInfo)
	for _, s := range snap.Streams {
		if in := s.Video; in != nil {
			infos[s.Profile.Stream] = &msgs.CameraInfo{Height: uint32(in.Height), Width: uint32(in.Width), DistortionModel: "plumb_bob", D: in.Coeffs[:],
				K: [9]float64{in.Fx, 0, in.Ppx, 0, in.Fy, in.Ppy, 0, 0, 1}}
		}
	}
	n.calibrations(snap)
	for _, s := range snap.Sensors {
		var list []rsbag.OptionChange
		for _, o := range s.Options {
			list = append(list, rsbag.OptionChange{ID: o.ID, Value: o.Value})
		}
		if nodeModules[s.Name] != "" {
			n.parameters(nodeStart, s.Name, list...)
		}
	}
	cur := from.Cursor(rsbag.CursorOptions{})
	defer cur.Close()
	for e := range cur.Events() {
		at := nodeStart + bagstore.Time(e.Time)
		switch {
		case e.Frame != nil:
			n.frame(e.Frame, at, infos[e.Frame.Stream()])
		case e.Option != nil && nodeModules[snap.Sensors[e.Sensor].Name] != "":
			n.parameters(at, snap.Sensors[e.Sensor].Name, *e.Option)
		}
	}
	n.w.Done()
}

// nodeEvents lists what a camera node says of a recording: its frames with their metadata,
// and options but for the units of depth.
func nodeEvents(t *testing.T, f *rsbag.File) (list []string) {
	t.Helper()
	cur := f.Cursor(rsbag.CursorOptions{})
	defer cur.Close()
	last := make(map[string]float32)
	for i, s := range f.Snapshot().Sensors {
		for _, o := range s.Options {
			last[fmt.Sprint(i, o.ID)] = o.Value
		}
	}
	for e := range cur.Events() {
		switch {
		case e.Frame != nil && nodeTopics[e.Frame.Stream()] != "":
			list = append(list, frameLine(e.Frame))
		case e.Option != nil && e.Option.ID != camdriver.OptionDepthUnits:
			if key := fmt.Sprint(e.Sensor, e.Option.ID); last[key] != e.Option.Value { // a node tells changes only
				last[key] = e.Option.Value
				list = append(list, fmt.Sprintf("%s: %v", f.Snapshot().Sensors[e.Sensor].Name, *e.Option))
			}
		}
	}
	slices.Sort(list) // frames of one instant have no order between streams
	return list
}

func frameLine(x *camdriver.Frame) string {
	return fmt.Sprintf("%v %v #%d at %.6f %v %dx%d step %d md %v data %08x motion %v", x.Stream(), x.Profile.Format, x.Number, x.Timestamp, x.Domain,
		x.Width, x.Height, x.Stride, x.Metadata, crc32.ChecksumIEEE(x.Data), [2][3]float64{x.Motion.Gyro, x.Motion.Accel})
}

// nodeDescription prints what a camera node says of a device.
func nodeDescription(f *rsbag.File) (list []string) {
	snap := f.Snapshot()
	for _, s := range snap.Sensors {
		for _, o := range s.Options {
			if o.ID != camdriver.OptionDepthUnits && nodeModules[s.Name] != "" {
				list = append(list, fmt.Sprintf("%s: %v %v", s.Name, o.ID, o.Value))
			}
		}
	}
	for _, s := range snap.Streams {
		if nodeTopics[s.Profile.Stream] == "" {
			continue
		}
		line := fmt.Sprintf("%s %v", snap.Sensors[s.Sensor].Name, s.Profile.Stream)
		if in := s.Video; in != nil {
			line += fmt.Sprintf(" video %dx%d %g %g %g %g %g", in.Width, in.Height, in.Fx, in.Fy, in.Ppx, in.Ppy, in.Coeffs)
		}
		if s.Motion != nil {
			line += fmt.Sprintf(" motion %v", *s.Motion)
		}
		if e := s.Extrinsic; e != nil && s.Profile.Stream.Kind.Video() {
			for _, v := range append(e.Rotation[:], e.Translation[:]...) {
				line += fmt.Sprintf(" %g", math.Round(v*1e5)/1e5+0)
			}
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// TestDevice checks that a camera node's topics, in any container, are converted back to
// the recording, and that the rest is listed.
func TestDevice(t *testing.T) {
	from := open(t, need.Bag(t, "librealsense/sw_small_lz4.bag"))
	dir := t.TempDir()
	robot := filepath.Join(dir, "robot.bag")
	writeNode(t, robot, from, nodeBag{})
	frames, description := nodeEvents(t, from), nodeDescription(from)
	inputs := []string{robot}
	for _, name := range []string{"robot.db3", "robot.mcap"} {
		out := filepath.Join(dir, name)
		run(t, Options{In: robot, Out: out, ROS: 2})
		inputs = append(inputs, out)
	}
	for i, in := range inputs {
		for _, ext := range []string{extBag, extDB3}[:1+i%2] {
			out := filepath.Join(dir, fmt.Sprint(i)+ext)
			r, err := Run(t.Context(), Options{In: in, Out: out, Device: true})
			need.Must(t, err)
			lost := strings.Join(names(r.Lost), "\n")
			for _, want := range []string{
				"1 /camera/camera/aligned_depth_to_color/image_raw: its name says no stream; left out", "messages of /camera/camera/aligned_depth_to_color/camera_info",
				"messages of /camera/camera/aligned_depth_to_color/image_raw", "parameters of nodes that are no options of the camera's sensors; left out",
			} {
				if !strings.Contains(lost, want) {
					t.Errorf("%s: %q isn't listed as lost", out, want)
				}
			}
			if len(r.Lost) != 4 || r.Damaged != 0 {
				t.Errorf("%s: lost %d damaged (%v), and\n%s", out, r.Damaged, r.Why, lost)
			}
			f := open(t, out)
			same(t, out, nodeEvents(t, f), frames)
			same(t, out, nodeDescription(f), description)
			if start, ok := f.Start(); !ok || start.Sub(time.Unix(0, int64(nodeStart))).Abs() > time.Second {
				t.Errorf("%s began %v, %v", out, start, ok)
			}
			played(t, out, frames)
			if ext == extDB3 {
				stock(t, out)
				if broken, _, err := rsdb3.Check(t.Context(), out); err != nil || len(broken) > 0 {
					t.Errorf("%s: %v, %v", out, broken, err)
				}
			}
		}
	}
}

// player lists the frames of a device that plays.
type player struct {
	camdriver.NopHandler
	frames []string
	once   sync.Once
	ended  chan struct{}
}

func (p *player) Frame(_ int, f *camdriver.Frame) {
	if nodeTopics[f.Stream()] != "" {
		p.frames = append(p.frames, frameLine(f))
	}
}

func (p *player) StatusChanged(s camdriver.Status) {
	if s.Kind == camdriver.StatusEnded {
		p.once.Do(func() { close(p.ended) })
	}
}

// played plays a recording as a device, and compares its frames.
func played(t *testing.T, path string, want []string) {
	t.Helper()
	d, err := recorded.Open(path, recorded.Options{Paused: true})
	need.Must(t, err)
	defer d.Close()
	p := &player{ended: make(chan struct{})}
	for _, s := range d.Sensors() {
		need.Must(t, s.Start(s.Profiles(), p))
	}
	need.Must(t, d.Do(t.Context(), replay.Resume{}))
	<-p.ended
	slices.Sort(p.frames)
	same(t, path+" as a device", p.frames, slices.DeleteFunc(slices.Clone(want), func(s string) bool { return strings.Contains(s, "Module: ") || strings.Contains(s, "Camera: ") }))
}

// TestDeviceGaps checks that a frame without metadata gets the next number, and that
// metadata without a frame are counted as lost.
func TestDeviceGaps(t *testing.T) {
	from := open(t, need.Bag(t, "librealsense/sw_small_lz4.bag"))
	of := func(number uint64) func(*camdriver.Frame) bool {
		return func(f *camdriver.Frame) bool { return f.Stream().Kind == camdriver.Depth && f.Number == number }
	}
	dir := t.TempDir()
	robot, out := filepath.Join(dir, "robot.bag"), filepath.Join(dir, "out.bag")
	writeNode(t, robot, from, nodeBag{noMetadata: of(110), noFrame: of(120)})
	r, err := ToBag(t.Context(), Options{In: robot, Out: out, Device: true})
	if err != nil || !slices.Contains(names(r.Lost), "1 metadata of frames that aren't in the recording") {
		t.Errorf("%v, %v", names(r.Lost), err)
	}
	numbers := func(f *rsbag.File) (list []uint64) {
		cur := f.Cursor(rsbag.CursorOptions{Streams: func(id camdriver.StreamID) bool { return id.Kind == camdriver.Depth }, FramesOnly: true})
		defer cur.Close()
		for e := range cur.Events() {
			list = append(list, e.Frame.Number)
		}
		return list
	}
	want := slices.DeleteFunc(numbers(from), func(n uint64) bool { return n == 120 })
	if got := numbers(open(t, out)); !slices.Equal(got, want) || !slices.Contains(got, 110) {
		t.Errorf("numbers %v, want %v", got, want)
	}
	node, err := rsbag.Open(robot, rsbag.Options{CameraNodes: true})
	need.Must(t, err)
	defer node.Close()
	cur := node.Cursor(rsbag.CursorOptions{FramesOnly: true})
	defer cur.Close()
	var forward, backward []string
	for e := range cur.Events() {
		forward = append(forward, frameLine(e.Frame))
	}
	for e, ok := cur.Last(node.Duration() + 1); ok; e, ok = cur.Last(e.Time) {
		backward = append(backward, frameLine(e.Frame))
	}
	slices.Reverse(backward)
	differ := 0
	for i := range min(len(forward), len(backward)) {
		if forward[i] != backward[i] {
			differ++
		}
	}
	// The frame without metadata is numbered by the one that was visited before it.
	if len(forward) != len(backward) || differ > 1 {
		t.Errorf("%d frames forward, %d backward, %d differ", len(forward), len(backward), differ)
	}
}
