package rsdb3

import (
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// Release is the oldest release of librealsense that plays a file.
type Release int

const (
	Release2583 Release = iota
	Release2582         // knows fewer options
	Release2581         // knows fewer options, streams and formats; names of notification topics have blanks
	ReleaseROS2         // 2.59.1: calibration and poses of streams as ROS 2 messages, too
)

// Releases are the names of releases, as users give them.
var Releases = map[string]Release{
	"2.58.1": Release2581, "2.58.2": Release2582, "2.58.3": Release2583, "2.59.1": ReleaseROS2, "ros2": ReleaseROS2,
}

// releaseNames are the names that a release knows. Unknown options make its reader loop forever.
var releaseNames = [...]rstext.Names{
	Release2583: rstext.Names2583, Release2582: rstext.Names2582, Release2581: rstext.Names2581,
	ReleaseROS2: rstext.Names2591,
}

// Options are the options of a Writer.
type Options struct {
	Release Release
	Facts   []rstext.Pair // about the recording; the SDK ignores them
	Zstd    bool          // compress each message, for Release2582 and later; rosbag2 can't read it then
}

const (
	typeUInt32 = "std_msgs/msg/UInt32"
	typeString = "std_msgs/msg/String"
	typeImage  = "sensor_msgs/msg/Image"
	typeImu    = "sensor_msgs/msg/Imu"
)

// fileVersion is what the SDK writes; it never reads the number.
const fileVersion = 4

// Writer writes a recording. Frames and events may come in any order of time. Those of one topic
// and time keep their order. Errors are permanent.
type Writer struct {
	db      *db3.Writer
	o       Options
	snap    camdriver.DeviceSnapshot
	topics  map[string]int64
	streams map[camdriver.StreamID]*streamTopics
	enc     msgs.Encoder
	text    []byte
	message [][]byte      // reused by put
	zstd    *zstd.Encoder // nil: messages aren't compressed
	plain   []byte        // reused by put, with it
	packed  []byte
	losses  bagstore.Losses
	err     error
}

type streamTopics struct {
	*rslayout.Stream
	data, metadata int64
	frameID        string
	info           *msgs.CameraInfo // in ROS's words; of ReleaseROS2
	infoTopic      int64
}

// New begins a recording in f, which must be empty. The file can't be read before Close.
func New(f *os.File, snap camdriver.DeviceSnapshot, o Options) (*Writer, error) {
	w := newWriter(snap, o)
	w.db = db3.NewWriter(f)
	if w.err == nil {
		w.describe()
	}
	return w, w.err
}

func newWriter(snap camdriver.DeviceSnapshot, o Options) *Writer {
	w := &Writer{o: o, snap: snap, topics: make(map[string]int64),
		streams: make(map[camdriver.StreamID]*streamTopics), losses: make(bagstore.Losses)}
	w.snap.Sensors = slices.Clone(snap.Sensors)
	for i := range w.snap.Sensors {
		w.fitOptions(i, &w.snap.Sensors[i])
	}
	if o.Zstd {
		// As the SDK does: the fastest level, with the size in the frame's head, without a checksum.
		w.zstd, w.err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
	}
	return w
}

func (w *Writer) fitOptions(number int, s *camdriver.SensorSnapshot) {
	last := releaseNames[w.o.Release].Option
	s.Options = slices.DeleteFunc(slices.Clone(s.Options), func(o camdriver.Option) bool {
		if o.ID > last {
			w.losses.Addf("option %q of sensor %d, which this release of librealsense doesn't know", o.ID.String(), number)
		}
		return o.ID > last
	})
}

// Close completes the file. It doesn't sync it.
func (w *Writer) Close() error { return w.db.Close() }

// topic returns the id of a topic, which it adds at its first use.
func (w *Writer) topic(name, typ, qos string) int64 {
	id, known := w.topics[name]
	if !known && w.err == nil {
		id, w.err = w.db.AddTopic(bagstore.Topic{Name: name, Type: typ, QoS: qos})
		w.topics[name] = id
	}
	return id
}

// put writes the encoder's bytes, then body.
func (w *Writer) put(topic int64, at time.Duration, body ...[]byte) {
	if w.err == nil {
		w.message = append(append(w.message[:0], w.enc.B), body...)
		if w.zstd != nil {
			w.plain = w.plain[:0]
			for _, part := range w.message {
				w.plain = append(w.plain, part...)
			}
			w.packed = w.zstd.EncodeAll(w.plain, w.packed[:0])
			w.message = append(w.message[:0], w.packed)
		}
		w.err = w.db.Write(topic, int64(at), w.message...)
	}
}

func (w *Writer) begin() {
	w.enc.B = w.enc.B[:0]
	w.enc.BeginCDR()
}

func (w *Writer) string(topic string, at time.Duration, text string) {
	id := w.topic(topic, typeString, "")
	w.begin()
	w.enc.String(text)
	w.put(id, at)
}

func (w *Writer) hasOption(sensor int, id camdriver.OptionID) bool {
	return sensor >= 0 && sensor < len(w.snap.Sensors) &&
		slices.ContainsFunc(w.snap.Sensors[sensor].Options, func(o camdriver.Option) bool { return o.ID == id })
}

// Holds reports whether the file has a place for frames of a sensor's stream.
func (w *Writer) Holds(sensor int, id camdriver.StreamID) bool {
	s := w.streams[id]
	return s != nil && s.Sensor == sensor
}

// Option writes a change of an option.
func (w *Writer) Option(sensor int, id camdriver.OptionID, value float32, at time.Duration) error {
	if !w.hasOption(sensor, id) {
		w.losses.Addf("changes of option %q, which its sensor doesn't have in the file", id.String())
		return nil
	}
	w.string(rslayout.OptionTopic(sensor, id, "value"), at, rstext.Single(value))
	return w.err
}

// Notification writes what a sensor reported.
func (w *Writer) Notification(sensor int, n camdriver.Notification, at time.Duration) error {
	name := n.Category.String()
	if w.o.Release != Release2581 {
		name = strings.ReplaceAll(name, " ", "_")
	}
	text, changed := rstext.Notification(n)
	if changed {
		w.losses.Addf("notifications with ; or = in their text, which are written as , and :")
	}
	w.string(rslayout.SensorPrefix(sensor)+"/notification/"+name, at, text)
	return w.err
}

// Loss is a part of a recording that a file can't hold unchanged.
type Loss struct {
	What  string
	Count uint64
}

// Losses returns what was left out or changed so far, sorted.
func (w *Writer) Losses() (list []Loss) {
	for _, what := range slices.Sorted(maps.Keys(w.losses)) {
		list = append(list, Loss{what, w.losses[what]})
	}
	return list
}
