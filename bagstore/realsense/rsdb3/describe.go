package rsdb3

import (
	"strings"

	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
)

// describe writes everything at time 0, in the order that the SDK's reader needs: the version; each
// sensor's options together, values before descriptions; calibrations after their stream.
func (w *Writer) describe() {
	id := w.topic("/file_version", typeUInt32, "")
	w.begin()
	w.enc.U32(fileVersion)
	w.put(id, 0)
	w.string("/device_0/info", 0, w.info(w.snap.Info))
	for i := range w.snap.Sensors {
		w.describeSensor(i, &w.snap.Sensors[i])
	}
	for _, s := range w.snap.Streams {
		if !w.Holds(s.Sensor, s.Profile.Stream) || s.Extrinsic == nil {
			continue
		}
		w.string(rslayout.StreamPrefix(s.Sensor, s.Profile.Stream)+"/tf/ref_0", 0, rstext.Extrinsics(*s.Extrinsic))
	}
	w.transforms()
	for _, f := range w.o.Facts {
		_ = w.Fact(f.Key, f.Value) // the error is w.err
	}
}

// Fact writes a fact on a topic of our own.
func (w *Writer) Fact(key, value string) error {
	w.string("/additional_info", 0, rstext.Join(w.clean(key, value)))
	return w.err
}

func (w *Writer) clean(key, value string) rstext.Pair {
	value, changed := rstext.Clean(value)
	if changed {
		w.losses.Addf("value of %q with ; or =, which are written as , and :", key)
	}
	return rstext.Pair{Key: key, Value: value}
}

// info returns the text of a device's or sensor's infos, sorted and unique by key.
func (w *Writer) info(list []camdriver.Info) string {
	var pairs []rstext.Pair
	for _, i := range rslayout.UniqueInfo(list) {
		pairs = append(pairs, w.clean(i.Key.String(), i.Value))
	}
	return rstext.Join(pairs...)
}

// describeSensor adds an option to a sensor without any, on which librealsense would crash.
func (w *Writer) describeSensor(number int, s *camdriver.SensorSnapshot) {
	info := s.Info
	if camdriver.Find(info, camdriver.InfoName) == "" {
		info = append([]camdriver.Info{{Key: camdriver.InfoName, Value: s.Name}}, info...)
	}
	w.string(rslayout.SensorPrefix(number)+"/info", 0, w.info(info))
	options := rslayout.UniqueOptions(s.Options)
	if len(options) == 0 {
		options = []camdriver.Option{{ID: camdriver.OptionFramesQueueSize, Value: 16, Description: rstext.AddedOption}}
	}
	for _, o := range options {
		w.string(rslayout.OptionTopic(number, o.ID, "value"), 0, rstext.Single(o.Value))
		w.string(rslayout.OptionTopic(number, o.ID, "description"), 0, strings.ReplaceAll(o.Description, "\x00", ""))
	}
	w.filters(number, s.Filters)
	for _, st := range w.snap.Streams {
		if st.Sensor != number {
			continue
		}
		w.describeStream(st)
	}
}

func (w *Writer) filters(sensor int, list []string) {
	if len(list) == 0 {
		return
	}
	var names []string
	for _, f := range list {
		names = append(names, w.clean("post_processing", f).Value)
	}
	w.string(rslayout.SensorPrefix(sensor)+"/post_processing", 0, strings.Join(names, ";"))
}

// describeStream skips streams that the SDK doesn't record: it can't open files with a pose.
func (w *Writer) describeStream(s camdriver.StreamSnapshot) {
	id, prefix := s.Profile.Stream, rslayout.StreamPrefix(s.Sensor, s.Profile.Stream)
	if f := s.Profile.Format; f > releaseNames[w.o.Release].Format {
		w.losses.Addf("stream %s of the format %s, which this release of librealsense doesn't know", id, f)
		return
	}
	if w.streams[id] != nil {
		w.losses.Addf("stream %s of sensor %d, which another sensor has", id, s.Sensor)
		return
	}
	var typ, calibration, topic string
	switch {
	case id.Kind.Video():
		typ, topic = typeImage, "/camera_info"
		in := camdriver.Intrinsics{Width: s.Profile.Width, Height: s.Profile.Height}
		if s.Video != nil {
			in = *s.Video
		}
		calibration = rstext.Intrinsics(in)
	case id.Kind.Inertial():
		typ, topic = typeImu, "/imu_intrinsic"
		var in camdriver.MotionIntrinsics
		if s.Motion != nil {
			in = *s.Motion
		}
		calibration = rstext.MotionIntrinsics(in)
	default:
		w.losses.Addf("stream %s: the form has no %s streams", id, id.Kind)
		return
	}
	w.string(prefix+"/info", 0, rstext.StreamInfo(s.Profile.Format, s.Profile.FPS))
	w.string(prefix+topic, 0, calibration)
	t := &streamTopics{Stream: rslayout.NewStream(s), frameID: frameID(id)}
	t.data, t.metadata = w.topic(t.Data[0].Name, typ, ""), w.topic(t.Metadata.Name, typeString, "")
	if w.o.Release == ReleaseROS2 && id.Kind.Video() {
		if s.Video != nil {
			t.info = rslayout.ROSCameraInfo(s)
		}
		t.infoTopic = w.topic(prefix+"/image/camera_info", typeCameraInfo, "")
	}
	w.streams[id] = t
}

// frameID returns the stream's name; only Infrared has its index, as in the SDK's files.
func frameID(id camdriver.StreamID) string {
	if id.Kind == camdriver.Infrared {
		return strings.ReplaceAll(id.String(), "_", "")
	}
	return id.Kind.String()
}
