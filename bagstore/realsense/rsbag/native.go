package rsbag

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/packed"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

// A recording of a camera node, such as realsense2_camera, has other topics, but can be read as a
// device: images with their camera_info, and inertial samples. librealsense does so since 2.58.3;
// it looks for words anywhere in a topic's name, we only in the part that names the stream.
//
// The messages besides images and samples are read in files native*.go, and node*.go of rslayout. They are serialized
// as in ROS 1 and are not trusted: allocations are bounded by their size.

type native struct {
	topics   map[camdriver.StreamID]string // of images and samples
	sorted   []string                      // the values of topics
	infos    map[uint32]camdriver.StreamID // by connection of camera_info
	about    map[uint32][]byte             // first message of these without its header
	times    map[camdriver.StreamID][]bagstore.Time
	frames   map[camdriver.StreamID]string // tf frames
	links    map[string]bool               // tf frames between streams and their root
	metadata map[uint32]camdriver.StreamID // by connection
	used     map[uint32]bool               // connections that the description covers
	packed   map[camdriver.StreamID]bool   // streams whose images are compressed
	changes  []nativeChange                // of options, in the order of their messages
	names    []string                      // of the sensors
}

// nativeSensors are the possible sensors in librealsense's order. Those that exist are numbered
// from 0.
var nativeSensors = []string{"RGB Camera", "Stereo Module", "Motion Module"}

func nativeSensor(k camdriver.StreamKind) string {
	switch k {
	case camdriver.Color:
		return nativeSensors[0]
	case camdriver.Depth, camdriver.Infrared:
		return nativeSensors[1]
	}
	return nativeSensors[2]
}

// findNative finds the topics that are streams of a camera, one of list, and reports whether there are any.
func (f *File) findNative(streams []nodeStream, list []Camera) bool {
	n := &native{
		topics: make(map[camdriver.StreamID]string), infos: make(map[uint32]camdriver.StreamID),
		about: make(map[uint32][]byte), times: make(map[camdriver.StreamID][]bagstore.Time),
		frames: make(map[camdriver.StreamID]string), links: make(map[string]bool),
		metadata: make(map[uint32]camdriver.StreamID), used: make(map[uint32]bool),
		packed: make(map[camdriver.StreamID]bool),
	}
	conns, images := make(map[uint32]camdriver.StreamID), make(map[string]bool)
	for _, s := range streams {
		mine := s.prefix == f.camera.prefix || s.id.Kind == camdriver.Motion && len(list) == 1 // a robot's IMU
		base, _ := rslayout.TransportOf(s.conn.Topic)
		switch other, twice := n.topics[s.id]; {
		case !mine && ownerOf(list, s.conn.Topic) == "":
			f.leave("%s: it is of none of the cameras", s.conn.Topic)
		case !mine:
		case images[base] && other != s.conn.Topic: // the same images in another form
			n.used[s.conn.ID] = true
		case twice && other != s.conn.Topic:
			f.leave("%s: stream %s is on %s already", s.conn.Topic, s.id, other)
		default:
			n.topics[s.id], conns[s.conn.ID], images[base] = s.conn.Topic, s.id, true
			if s.id.Kind.Video() {
				n.infos[s.about] = s.id
			}
			n.packed[s.id] = s.conn.MD5 == msgs.MustType("sensor_msgs/CompressedImage").MD5
		}
	}
	f.numberNative(n, conns)
	n.sorted = slices.Sorted(maps.Values(n.topics))
	f.native = n
	f.findNativeMetadata()
	return len(conns) > 0
}

// numberNative numbers the sensors that exist and assigns the connections to streams.
func (f *File) numberNative(n *native, conns map[uint32]camdriver.StreamID) {
	there := make(map[string]bool)
	for _, id := range conns {
		there[nativeSensor(id.Kind)] = true
	}
	n.names = slices.DeleteFunc(slices.Clone(nativeSensors), func(name string) bool { return !there[name] })
	for conn, id := range conns {
		t := rslayout.Topic{Kind: rslayout.TopicImage, Sensor: slices.Index(n.names, nativeSensor(id.Kind)), Stream: id}
		switch {
		case id.Kind.Inertial():
			t.Kind = rslayout.TopicImu
		case n.packed[id]:
			t.Kind = rslayout.TopicCompressed
		}
		f.topics[conn] = t
	}
}

func (d *description) native() {
	f := d.f
	for i, name := range f.native.names {
		d.sensor(i).info = []camdriver.Info{{Key: camdriver.InfoName, Value: name}}
	}
	d.info = []camdriver.Info{
		{Key: camdriver.InfoName, Value: "Native ROS2 Recording"}, {Key: camdriver.InfoSerialNumber, Value: "0000000000"},
		{Key: camdriver.InfoProductLine, Value: "ROS2"},
	}
	if !strings.Contains(f.bag.Version(), "rosbag2") && !strings.Contains(f.bag.Version(), "MCAP") {
		d.info[0].Value, d.info[2].Value = "Native ROS Recording", "ROS"
	}
	for conn, id := range f.native.infos {
		f.eachOf(aboutCamera, []uint32{conn}, func(m bagstore.Message) bool { d.nativeInfo(id, m); return false })
	}
	tree := make(map[string]tfLink)
	for _, c := range f.bag.Connections() {
		if c.Topic == topicTree && c.MD5 == msgs.MustType(typeTree).MD5 {
			f.eachOf(aboutCamera, []uint32{c.ID}, func(m bagstore.Message) bool { readTree(tree, m); return true })
		}
	}
	for id, s := range d.streams {
		if !f.nativeFirst(s) {
			delete(d.streams, id)
			continue
		}
		f.nativeTimes(s)
		if at, root, ok := toRoot(tree, f.native.frames[id], f.native.links); ok {
			s.tf[root] = at.Inverse()
			s.root, s.toRoot = root, at
		}
	}
	d.nativeCalibrations()
	d.nativeOptions()
}

// nativeInfo sets a stream's calibration, with the SDK's name for its lens model.
func (d *description) nativeInfo(id camdriver.StreamID, m bagstore.Message) {
	var info msgs.CameraInfo
	if err := msgs.Unmarshal(m.Data, &info); err != nil {
		d.f.leave("%s: %v", m.Conn.Topic, err)
		return
	}
	model := camdriver.NoDistortion
	switch {
	case !slices.ContainsFunc(info.D, func(v float64) bool { return v != 0 }):
	case info.DistortionModel == "plumb_bob" && len(info.D) <= 5:
		model = camdriver.BrownConrady
	case info.DistortionModel == "equidistant" && len(info.D) <= 5:
		model = camdriver.KannalaBrandt4
	default:
		d.f.leave("%s: a lens of the model %q with %d coefficients", m.Conn.Topic, info.DistortionModel, len(info.D))
		info.D = nil
	}
	info.DistortionModel = model.String()
	d.streams[id].camera = &info
	d.f.native.about[m.Conn.ID] = withoutHeader(m.Data)
}

// nativeFirst reads a stream's tf frame. It returns false if the pixel format isn't a camera's.
func (f *File) nativeFirst(s *stream) (ok bool) {
	id := s.profile.Stream
	ok = true
	f.eachOf("frames of "+id.String(), s.data, func(m bagstore.Message) bool {
		d := msgs.NewDecoder(m.Data)
		var head msgs.ImageHead
		var err error
		if f.native.packed[id] {
			head, err = s.unpackFirst(d)
		} else if id.Kind.Video() {
			head.Decode(d)
		}
		if id.Kind.Video() {
			if _, ok = nativeFormat(id.Kind, head.Encoding); !ok {
				odd := fmt.Errorf("images of the encoding %q, which %s can't have", head.Encoding, id.Kind)
				f.leave("%s: %v", m.Conn.Topic, cmp.Or(err, odd))
			}
		} else {
			head.Header.Decode(d)
			s.profile.Format = camdriver.MotionXYZ32F
		}
		f.native.frames[id] = strings.TrimPrefix(head.Header.FrameID, "/")
		return false
	})
	if !ok {
		for _, conn := range s.data {
			f.topics[conn] = rslayout.Topic{}
		}
	}
	return ok
}

// nativeTimes collects the times of a stream's frames, which define their numbers and rate.
func (f *File) nativeTimes(s *stream) {
	id := s.profile.Stream
	var times []bagstore.Time
	for m, err := range f.viewOf(s.data).Index() {
		if err != nil {
			break
		}
		times = append(times, m.Time)
	}
	f.native.times[id] = times
	if between := medianInterval(times); between > 0 {
		s.profile.FPS = usualRate(float64(time.Second) / float64(between))
	}
}

// number returns the number, from 1, of a stream's frame at a time in the bag.
func (n *native) number(id camdriver.StreamID, at bagstore.Time) uint64 {
	i, _ := slices.BinarySearch(n.times[id], at)
	return uint64(i) + 1
}

func (f *File) viewOf(conns []uint32) *bagstore.View {
	return f.bag.View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return slices.Contains(conns, c.ID) }})
}

// aboutCamera is the argument of eachOf for messages that describe the device.
const aboutCamera = "messages about the camera"

// eachOf calls do with messages until it returns false. It notes up to maxErrors unreadable ones.
func (f *File) eachOf(what string, conns []uint32, do func(bagstore.Message) bool) {
	damaged, last := 0, error(nil)
	for m, err := range f.viewOf(conns).Messages() {
		if err != nil {
			damaged, last = damaged+1, err
		} else if !do(m) {
			break
		}
		if damaged == maxErrors {
			break
		}
	}
	if damaged > 0 {
		f.leave("%s that are damaged: %d; the last: %v", what, damaged, last)
	}
}

// tfLink relates a tf frame to its parent. to maps points to the parent's frame.
type tfLink struct {
	parent string
	to     camdriver.Extrinsics
}

// maxLinks bounds the links kept from /tf_static, and the number of links to the root.
const maxLinks = 1000

func readTree(tree map[string]tfLink, m bagstore.Message) {
	var list msgs.TFMessage
	if msgs.Unmarshal(m.Data, &list) != nil {
		return
	}
	for i := range list.Transforms {
		t := &list.Transforms[i]
		if len(tree) < maxLinks {
			parent := strings.TrimPrefix(t.Header.FrameID, "/")
			tree[strings.TrimPrefix(t.ChildFrameID, "/")] = tfLink{parent, rslayout.Extrinsics(&t.Transform)}
		}
	}
}

// toRoot returns the transform from a tf frame to the root of its tree, and adds the frames on the
// way to used. ok is false without a parent, or in a circle.
func toRoot(tree map[string]tfLink, frame string,
	used map[string]bool) (at camdriver.Extrinsics, root string, ok bool) {
	at = camdriver.Identity()
	for range maxLinks {
		l, has := tree[frame]
		if !has {
			return at, frame, ok
		}
		used[frame] = true
		at, frame, ok = at.Then(l.to), l.parent, true
	}
	return at, frame, false
}

// nativeFormat returns the format of a camera node's images. Depth is in millimetres.
func nativeFormat(k camdriver.StreamKind, encoding string) (camdriver.Format, bool) {
	if k == camdriver.Depth && encoding != "mono16" && encoding != "16UC1" {
		return camdriver.AnyFormat, false
	}
	switch encoding {
	case "rgb8", "bgr8", "rgba8", "bgra8":
		return rslayout.ParseEncoding(encoding)
	case "mono8", "8UC1":
		return camdriver.Y8, true
	case "mono16", "16UC1":
		if k == camdriver.Depth {
			return camdriver.Z16, true
		}
		return camdriver.Y16, true
	case "yuv422_yuy2", "yuv422": // in ROS yuv422 is UYVY, but realsense2_camera means YUYV
		return camdriver.YUYV, true
	}
	return camdriver.AnyFormat, false
}

// nativeStart adds the start of a camera node's recording to the facts.
func (f *File) nativeStart() {
	if f.native == nil || len(f.segments) != 1 {
		return
	}
	if start := -f.segments[0].shift; start >= epochTimes {
		f.additional = append(f.additional, msgs.KeyValue{Key: rslayout.KeyStart, Value: rslayout.FormatStart(start.Std())})
	}
}

// medianInterval returns the median time between frames, which pauses and losses hardly change.
func medianInterval(times []bagstore.Time) bagstore.Time {
	const most = 10_000 // enough for a median
	times = times[:min(len(times), most)]
	if len(times) < 2 {
		return 0
	}
	between := make([]bagstore.Time, 0, len(times)-1)
	for i, t := range times[1:] {
		between = append(between, t-times[i])
	}
	slices.Sort(between)
	return between[len(between)/2]
}

// usualRate returns the nominal rate of cameras or inertial sensors for a measured one, in Hz.
func usualRate(hz float64) int {
	for _, rate := range []float64{1, 5, 6, 10, 15, 25, 30, 60, 63, 90, 100, 200, 250, 300, 400} {
		if math.Abs(hz-rate) <= 0.04*rate {
			return int(rate)
		}
	}
	return max(int(math.Round(min(hz, 1<<20))), 1)
}

// unpackFirst describes the first image of a stream of compressed ones.
func (s *stream) unpackFirst(d *msgs.Decoder) (h msgs.ImageHead, err error) {
	head, format, data, err := compressedImage(d)
	if err != nil {
		return h, err
	}
	p, err := packed.DecodeNode(format, data)
	h = msgs.ImageHead{Header: head, Encoding: p.Encoding, Width: uint32(p.Width), Height: uint32(p.Height)}
	s.first = &h
	return h, err
}
