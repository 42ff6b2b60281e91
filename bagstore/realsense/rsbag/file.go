package rsbag

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/recording"
	"rsros/camdriver"
	"rsros/msgs"
)

// File is a RealSense recording open for reading. It is safe for concurrent use.
type File struct {
	bag        *bagstore.Recording
	owned      bool // Close closes the bag
	camera     Camera
	cameras    []Camera // all of the bag
	version    uint32
	textual    bool            // as librealsense writes it since 2.58
	texts      map[uint32]bool // connections with text instead of the layout's type
	native     *native         // not nil: a camera node's recording
	snap       camdriver.DeviceSnapshot
	streams    []*stream
	topics     map[uint32]rslayout.Topic // by connection
	counts     map[uint32]uint64         // messages by connection
	options    map[optionKey][]uint32
	additional []msgs.KeyValue
	segments   []segment
	first, end bagstore.Time // file times of the first and the last frame
	notes      []string
	left       []string // the notes about something left out
	unread     []*stream
}

type stream struct {
	sensor  int
	profile camdriver.Profile
	conns   []uint32 // data, metadata, parts of a pose
	data    []uint32 // data alone; usually one
	frames  uint64

	first  *msgs.ImageHead // as the first image is described, of compressed ones of a camera node
	info   *msgs.StreamInfo
	camera *msgs.CameraInfo
	imu    *msgs.ImuIntrinsic
	tf     map[string]camdriver.Extrinsics // by group
	group  string                          // of the snapshot's extrinsics
	hasMD  bool

	root   string               // of the tree of /tf_static that has the stream's frame; "" if none has
	toRoot camdriver.Extrinsics // maps points to it
}

// maxSensors bounds the memory that a topic's sensor number can make Open allocate.
const maxSensors = 64

// Options are the options of Open.
type Options struct {
	// Bag, if not nil, is read instead of the path. It must be closed after the File.
	Bag *bagstore.Recording
	// Context, Sequential and Progress are those of bagstore.OpenOptions.
	Context    context.Context
	Sequential bool
	Progress   bagstore.Progress
	// CameraNodes also accepts recordings of camera nodes, described by camera_info and /tf_static.
	// Topics of realsense2_camera add metadata with frame numbers, extrinsics, calibrations of
	// inertial sensors, and options.
	CameraNodes bool
	// Camera is the name of the camera to read, or a device's number. It may be "" if there is only one. Otherwise Open
	// returns an ErrCamera.
	Camera  string
	Lenient bool // a single camera is read whatever Camera says
	First   bool // without Camera, the first one is read of several
}

// Open reads a camera's description. The error is ErrNoRecording if the recording has none.
func Open(path string, o Options) (*File, error) {
	list, err := o.open(path, o.one)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// OpenAll is Open for the chosen camera or, without Camera, all of the recording. The first File must be closed last.
func OpenAll(path string, o Options) ([]*File, error) { return o.open(path, o.choose) }

func (o Options) open(path string, choose func([]Camera) ([]Camera, error)) (list []*File, err error) {
	bag := o.Bag
	if bag == nil {
		if bag, err = recording.Open(path, bagstore.OpenOptions{Context: o.Context, Sequential: o.Sequential,
			Verify: o.Sequential, Progress: o.Progress}); err != nil {
			return nil, err
		}
	}
	all, chosen, err := o.cameras(bag, choose)
	for _, c := range chosen {
		var f *File
		f, err = describe(bag, c, all)
		if err != nil {
			break
		}
		list = append(list, f)
	}
	if err != nil && o.Bag == nil {
		bag.Close()
	}
	if err != nil {
		return nil, err
	}
	list[0].owned = o.Bag == nil
	return list, nil
}

// cameras returns all cameras and those that choose chooses, at least one.
func (o Options) cameras(bag *bagstore.Recording,
	choose func([]Camera) ([]Camera, error)) (all, chosen []Camera, err error) {
	all = devices(bag)
	var odd map[*bagstore.Connection]string
	if len(all) == 0 && o.CameraNodes {
		var streams []nodeStream
		streams, odd = nodeStreams(bag)
		all = nodes(streams)
	}
	if len(all) == 0 && slices.ContainsFunc(bag.Connections(), func(c *bagstore.Connection) bool {
		return rslayout.ParseTopic(c.Topic).Kind != rslayout.TopicUnknown
	}) {
		all = []Camera{{Name: deviceName(0)}} // its recorder ended before it was described
	}
	if len(all) == 0 {
		return nil, nil, noRecording(bag, o.CameraNodes, odd)
	}
	if chosen, err = choose(all); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", bag.Path(), err)
	}
	return all, chosen, nil
}

// noRecording says why a bag has no cameras.
func noRecording(bag *bagstore.Recording, nodes bool, odd map[*bagstore.Connection]string) error {
	why := "none of its topics is under /device_0/"
	if nodes {
		why += ", and no camera node published images with camera_info"
	}
	var list []string
	for c, text := range odd {
		list = append(list, c.Topic+": "+text)
	}
	if slices.Sort(list); len(list) > 0 {
		why += fmt.Sprintf("; %s", strings.Join(list[:min(len(list), 5)], "; "))
	}
	return fmt.Errorf("%s: %w: %s (%d topics)", bag.Path(), ErrNoRecording, why, len(bag.Connections()))
}

func describe(bag *bagstore.Recording, c Camera, all []Camera) (*File, error) {
	f, err := find(bag, c, all)
	if err != nil {
		return nil, err
	}
	d := newDescription(f)
	d.read()
	f.findTimes()
	f.nativeStart()
	d.build()
	return f, nil
}

// find returns a File that knows the topics, and reads nothing.
func find(bag *bagstore.Recording, camera Camera, all []Camera) (*File, error) {
	f := &File{bag: bag, camera: camera, cameras: all, counts: bag.Counts(), topics: make(map[uint32]rslayout.Topic),
		options: make(map[optionKey][]uint32)}
	for _, n := range bag.Notes() {
		f.note("%s", n.Text)
	}
	if camera.device < 0 {
		streams, odd := nodeStreams(bag)
		for _, c := range bag.Connections() {
			if text := odd[c]; text != "" && (camera.owns(all, c.Topic) || ownerOf(all, c.Topic) == "") {
				f.leave("%s: %s", c.Topic, text)
			}
		}
		if !f.findNative(streams, all) {
			return nil, noRecording(bag, true, odd)
		}
	} else if !f.findTopics() {
		return nil, noRecording(bag, false, nil)
	}
	f.leaveCopies()
	f.findText()
	return f, nil
}

// findTopics finds the topics of a device, and reports whether there are any.
func (f *File) findTopics() (known bool) {
	for _, c := range f.bag.Connections() {
		t := rslayout.ParseTopicOf(f.camera.device, c.Topic)
		if _, first := rslayout.FirstTopic(c.Topic); rslayout.ParseTopic(first).Sensor >= maxSensors {
			f.leave("%s: more than %d sensors", c.Topic, maxSensors)
			t = rslayout.Topic{}
		}
		known = known || t.Kind != rslayout.TopicUnknown
		f.topics[c.ID] = t
		if id, ok := rslayout.ParseOptionName(t.Name); ok && t.Kind == rslayout.TopicOptionValue {
			f.options[optionKey{t.Sensor, id}] = append(f.options[optionKey{t.Sensor, id}], c.ID)
		}
	}
	return known
}

// leaveCopies leaves out compressed images of streams whose images are there as they are: image_transport's, which
// record -a finds at a live camera, also as JPEG.
func (f *File) leaveCopies() {
	whole := make(map[camdriver.StreamID]bool)
	for id, t := range f.topics {
		if t.Kind == rslayout.TopicImage && f.counts[id] > 0 {
			whole[t.Stream] = true
		}
	}
	for id, t := range f.topics {
		if t.Kind == rslayout.TopicCompressed && whole[t.Stream] {
			f.topics[id] = rslayout.Topic{}
		}
	}
}

func (f *File) note(format string, args ...any) {
	const most = 200
	if len(f.notes) < most {
		f.notes = append(f.notes, fmt.Sprintf(format, args...))
	}
}

func (f *File) leave(format string, args ...any) {
	before := len(f.notes)
	f.note(format+"; left out", args...)
	f.left = append(f.left, f.notes[before:]...)
}

// Close closes the file, unless it is Options.Bag. Cursors must be closed before.
func (f *File) Close() error {
	if !f.owned {
		return nil
	}
	return f.bag.Close()
}

// Camera returns which camera of the recording this is.
func (f *File) Camera() Camera { return f.camera }

// Between returns what maps points of a stream to those of a stream of another camera of the recording, as /tf_static
// relates them. ok is false if it doesn't.
func (f *File) Between(from camdriver.StreamID, other *File, to camdriver.StreamID) (e camdriver.Extrinsics, ok bool) {
	a, b := f.stream(from), other.stream(to)
	if a == nil || b == nil || a.root == "" || a.root != b.root {
		return camdriver.Identity(), false
	}
	return a.toRoot.Then(b.toRoot.Inverse()), true
}

// Bag returns the underlying bag.
func (f *File) Bag() *bagstore.Recording { return f.bag }

// Snapshot returns the device's description at the start. The caller must not change it.
func (f *File) Snapshot() camdriver.DeviceSnapshot { return f.snap }

// Notes returns what is missing or unusual, and how it was handled.
func (f *File) Notes() []string { return f.notes }

// Omissions returns the Notes about parts of the file that this package doesn't return.
func (f *File) Omissions() []string { return f.left }

// Duration returns the file time of the last frame.
func (f *File) Duration() time.Duration { return time.Duration(f.end) }

// Additional returns the facts of /additional_info.
func (f *File) Additional() []msgs.KeyValue { return f.additional }

// Start returns the wall time of file time 0, if the file contains it.
func (f *File) Start() (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, f.fact(rslayout.KeyStart))
	return t, err == nil
}

// fact returns a value of /additional_info, "" if there is none.
func (f *File) fact(key string) string {
	for _, kv := range f.additional {
		if kv.Key == key {
			return kv.Value
		}
	}
	return ""
}

// Frames returns the number of frames of a stream, according to the index.
func (f *File) Frames(id camdriver.StreamID) uint64 {
	if s := f.stream(id); s != nil {
		return s.frames
	}
	return 0
}

// Connections returns those that carry a stream's frames.
func (f *File) Connections(id camdriver.StreamID) []*bagstore.Connection {
	s := f.stream(id)
	other := func(c *bagstore.Connection) bool { return s == nil || !s.isData(c) }
	return slices.DeleteFunc(f.bag.Connections(), other)
}

func (f *File) stream(id camdriver.StreamID) *stream {
	for _, s := range f.streams {
		if s.profile.Stream == id {
			return s
		}
	}
	return nil
}

func (f *File) connections(want func(rslayout.Topic) bool) func(*bagstore.Connection) bool {
	return func(c *bagstore.Connection) bool { return want(f.topics[c.ID]) }
}

// Uncovered returns the connections that neither the description nor a Cursor reads: the recorder's
// log, the relation of clocks, streams of kinds that aren't read, and topics outside the layout.
func (f *File) Uncovered() []*bagstore.Connection {
	var list []*bagstore.Connection
	for _, c := range f.bag.Connections() {
		if f.textual && (c.Topic == "/tf_static" || strings.HasSuffix(c.Topic, "/image/camera_info")) {
			continue // for ROS 2 only: the description has the same content
		}
		if owner := ownerOf(f.cameras, c.Topic); owner != "" && owner != f.camera.Name {
			continue
		}
		t := f.topics[c.ID]
		of := func(s *stream) bool { return s.sensor == t.Sensor && s.profile.Stream == t.Stream }
		switch {
		case t.Kind == rslayout.TopicUnknown, t.Kind == rslayout.TopicLogLine, t.Kind == rslayout.TopicSensorTime,
			slices.ContainsFunc(f.unread, of):
			list = append(list, c)
		}
	}
	return list
}

// FileTime returns the file time of a message at a time in the bag.
func (f *File) FileTime(t bagstore.Time) time.Duration {
	for _, s := range f.segments {
		if t >= s.lo && t <= s.hi {
			return time.Duration(t + s.shift)
		}
	}
	return time.Duration(t)
}

// FileTimes returns the file times that a filter selects.
func (f *File) FileTimes(filter bagstore.Filter) (start, end time.Duration) {
	shift := f.Shift()
	end = math.MaxInt64
	if filter.Start > 0 {
		start = max(0, time.Duration(filter.Start.Sub(shift)))
	}
	if filter.End > 0 {
		end = time.Duration(filter.End.Sub(shift))
	}
	return start, end
}

// Shift returns the time of messages at file time 0. Messages of other topics may come before the first frame.
func (f *File) Shift() bagstore.Time {
	first, ok := f.bag.View(bagstore.Query{Start: bagstore.MinTime + 1}).Start()
	for _, s := range f.segments {
		if ok && first >= s.lo && first <= s.hi {
			return -s.shift
		}
	}
	return -f.segments[0].shift
}
