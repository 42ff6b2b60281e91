package rsbag

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

// Camera is one camera of a recording: a device of the SDK's layout, or the topics of a camera node. Frames of two are
// never combined into one.
type Camera struct {
	Name    string   `json:"name"` // such as device_0; of a node, its namespace, such as front or robot1/wrist
	Streams []string `json:"streams"`

	device int    // its number; -1: a camera node
	prefix string // of a node's topics
}

// Cameras returns the cameras of a recording, by its topics alone: devices by number or, if there are none, camera
// nodes by name.
func Cameras(bag *bagstore.Recording) []Camera {
	if list := devices(bag); len(list) > 0 {
		return list
	}
	list, _ := nodeStreams(bag)
	return nodes(list)
}

// devices returns the devices of the SDK's layout.
func devices(bag *bagstore.Recording) []Camera {
	found := make(map[int]*Camera)
	for _, c := range bag.Connections() {
		number, first := rslayout.FirstTopic(c.Topic)
		if t := rslayout.ParseTopic(first); !IsTopic(c.Topic) || t.Sensor >= maxSensors {
			continue // File's notes have the latter
		}
		if found[number] == nil {
			found[number] = &Camera{Name: deviceName(number), device: number}
		}
		if t := rslayout.ParseTopic(first); t.IsFrame() {
			found[number].add(t.Stream)
		}
	}
	return sorted(found, func(a, b Camera) int { return a.device - b.device })
}

// nodes returns the cameras whose streams these are. A namespace with a robot's IMU is one if there is no other.
func nodes(streams []nodeStream) []Camera {
	found, imus := make(map[string]*Camera), make(map[string]*Camera)
	more := make(map[string]bool) // namespaces with more than what any IMU has
	for _, s := range streams {
		more[s.prefix] = more[s.prefix] || s.id.Kind != camdriver.Motion
	}
	for _, s := range streams {
		into := found
		if !more[s.prefix] {
			into = imus
		}
		if into[s.prefix] == nil {
			into[s.prefix] = &Camera{Name: cmp.Or(strings.Trim(s.prefix, "/"), "/"), device: -1, prefix: s.prefix}
		}
		into[s.prefix].add(s.id)
	}
	if len(found) == 0 {
		found = imus
	}
	return sorted(found, func(a, b Camera) int { return cmp.Compare(a.Name, b.Name) })
}

// maxCameras bounds the cameras of a recording.
const maxCameras = rslayout.MaxDevice + 1

func sorted[K comparable](found map[K]*Camera, order func(a, b Camera) int) (list []Camera) {
	for c := range maps.Values(found) {
		slices.Sort(c.Streams)
		c.Streams = slices.Compact(c.Streams)
		list = append(list, *c)
	}
	slices.SortFunc(list, order)
	return list[:min(len(list), maxCameras)]
}

func (c *Camera) add(id camdriver.StreamID) { c.Streams = append(c.Streams, id.String()) }

func deviceName(number int) string { return "device_" + strconv.Itoa(number) }

// Names returns the names of cameras.
func Names(list []Camera) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// PathName returns a name for files: topics may have letters that file systems reject, and dots that lead out of a
// folder.
func (c Camera) PathName() string {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, c.Name)
	return name[:min(len(name), 100)]
}

// owns reports whether a topic is one of the camera's, of those in list.
func (c Camera) owns(list []Camera, topic string) bool { return ownerOf(list, topic) == c.Name }

// ownerOf returns the name of the camera that a topic belongs to, "" if to none.
func ownerOf(list []Camera, topic string) (name string) {
	device, _ := rslayout.FirstTopic(topic)
	longest := -1
	for _, c := range list {
		below := c.device < 0 && len(c.prefix) > longest && strings.HasPrefix(topic, c.prefix)
		if c.device >= 0 && c.device == device || below {
			name, longest = c.Name, len(c.prefix)
		}
	}
	return name
}

// Owns reports whether a topic is one of the camera's.
func (f *File) Owns(topic string) bool { return ownerOf(f.cameras, topic) == f.camera.Name }

// TopicsOf returns which topics are of the camera of that name, or of none.
func TopicsOf(bag *bagstore.Recording, name string) (func(topic string) bool, error) {
	list := Cameras(bag)
	chosen, err := Options{Camera: name}.one(list)
	if err != nil || len(chosen) == 0 {
		return nil, cmp.Or(err, fmt.Errorf("%w: it has none", ErrCamera))
	}
	return func(topic string) bool { owner := ownerOf(list, topic); return owner == chosen[0].Name || owner == "" }, nil
}

// choose returns the cameras that the options select.
func (o Options) choose(list []Camera) ([]Camera, error) {
	name := strings.TrimPrefix(o.Camera, "/")
	if n, err := strconv.Atoi(name); err == nil {
		name = deviceName(n)
	}
	if o.Camera == "" || o.Lenient && len(list) < 2 {
		return list, nil
	}
	name = cmp.Or(name, "/")
	if i := slices.IndexFunc(list, func(c Camera) bool { return c.Name == name }); i >= 0 {
		return list[i : i+1], nil
	}
	return nil, fmt.Errorf("%w: none is called %s; there are %s", ErrCamera, o.Camera, strings.Join(Names(list), ", "))
}

// one returns the only camera that the options select.
func (o Options) one(list []Camera) ([]Camera, error) {
	chosen, err := o.choose(list)
	if len(chosen) > 1 && !o.First {
		err = fmt.Errorf("%w: --camera %s", ErrSeveral, strings.Join(Names(chosen), " or --camera "))
	}
	return chosen[:min(len(chosen), 1)], err
}

// nodeStream is a stream on a topic of a camera node.
type nodeStream struct {
	conn    *bagstore.Connection
	prefix  string // of the camera's topics
	id      camdriver.StreamID
	about   uint32 // the connection of its camera_info, of images
	packing int    // the stream is taken from the topic with the least: 0 has images as they are
}

// What images of a topic are packed as.
const (
	unpacked = iota
	packedDepth
	packedImages
	withoutMessages
)

var packings = map[string]int{"": unpacked, "compressedDepth": packedDepth, "compressed": packedImages}

// nodeStreams returns the streams of all camera nodes, and why other topics with images are none.
func nodeStreams(bag *bagstore.Recording) (list []nodeStream, odd map[*bagstore.Connection]string) {
	imu, info := msgs.MustType("sensor_msgs/Imu").MD5, msgs.MustType("sensor_msgs/CameraInfo").MD5
	raw, packed := msgs.MustType("sensor_msgs/Image").MD5, msgs.MustType("sensor_msgs/CompressedImage").MD5
	infos, odd := make(map[string]uint32), make(map[*bagstore.Connection]string)
	for _, c := range bag.Connections() {
		if c.MD5 == info {
			infos[c.Topic] = c.ID
		}
	}
	counts := bag.Counts()
	for _, c := range bag.Connections() {
		base, transport := rslayout.TransportOf(c.Topic)
		if c.MD5 != imu && !(c.MD5 == raw && transport == "") && c.MD5 != packed {
			continue
		}
		s := nodeStream{conn: c, packing: packings[transport]}
		if c.MD5 == packed && transport == "" {
			s.packing = packedImages
		}
		if counts[c.ID] == 0 {
			s.packing = withoutMessages
		}
		var ok, has bool
		s.prefix, s.id, ok = rslayout.NodeStream(c.Topic, c.MD5 == imu)
		if s.about, has = infos[rslayout.SiblingTopic(base, "camera_info")]; !has {
			s.about, has = infos[base+"/camera_info"]
		}
		switch {
		case !ok:
			odd[c] = "its name says no stream"
		case c.MD5 != imu && !has:
			odd[c] = "it has no camera_info"
		default:
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b nodeStream) int { return a.packing - b.packing })
	return list, odd
}
