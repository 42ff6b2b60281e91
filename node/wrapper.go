package node

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/ros"
)

// wrapperTopics publishes a device's streams as realsense2_camera does: the same
// topics, types, encodings, frames and latching, so that launch files, rviz
// configurations and subscribers written for it work unchanged. It is a consumer
// of the hub; nothing is encoded for a topic without a subscriber.
type wrapperTopics struct {
	camera  string // prefix of topics and frames
	out     advertiser
	stamps  *stamper
	streams map[camdriver.StreamID]*wrapperStream
	all     []*ros.Publisher
	static  []staticTopic
	pool    *camdriver.Pool // for pictures that must be converted
}

// advertiser is what topics are made with; *ros.Node is one.
type advertiser interface {
	Advertise(ros.PublisherOptions) (*ros.Publisher, error)
}

// staticTopic is a latched message that never changes.
type staticTopic struct {
	topic, typ string
	msg        msgs.Message
}

// wrapperStream is one stream's topics. Those that its kind doesn't have are nil.
type wrapperStream struct {
	kind     camdriver.StreamKind
	frameID  string
	seq      atomic.Uint32
	image    *ros.Publisher
	info     *ros.Publisher
	sample   *ros.Publisher // inertial streams and pose
	metadata *ros.Publisher
	camera   msgs.CameraInfo
}

// newWrapperTopics advertises the topics of the streams in snap and publishes
// what is static: calibration, transforms.
func newWrapperTopics(out advertiser, camera string, snap camdriver.DeviceSnapshot, stamps *stamper) (*wrapperTopics, error) {
	w := &wrapperTopics{
		camera: camera, out: out, stamps: stamps, streams: map[camdriver.StreamID]*wrapperStream{},
		pool: camdriver.NewPool(256 << 20),
	}
	for _, s := range snap.Streams {
		if err := w.addStream(s); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	w.static = append(w.static, w.calibrations(snap)...)
	w.static = append(w.static, staticTopic{"/tf_static", "tf2_msgs/TFMessage", staticTransforms(camera, snap)})
	for _, s := range w.static {
		p, err := w.advertise(s.topic, s.typ, true)
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		p.Publish(ros.Message{Head: msgs.Marshal(s.msg)})
	}
	return w, nil
}

func (w *wrapperTopics) addStream(s camdriver.StreamSnapshot) error {
	id := s.Profile.Stream
	name := wrapperName(id)
	st := &wrapperStream{kind: id.Kind, frameID: opticalFrame(w.camera, id)}
	var errs []error
	add := func(p **ros.Publisher, topic, typ string) {
		var err error
		*p, err = w.advertise(w.camera+"/"+topic, typ, false)
		errs = append(errs, err)
	}
	switch {
	case id.Kind.Video():
		add(&st.image, name+"/"+imageTopic(id.Kind), "sensor_msgs/Image")
		add(&st.info, name+"/camera_info", "sensor_msgs/CameraInfo")
		add(&st.metadata, name+"/metadata", "realsense2_camera/Metadata")
		st.camera = cameraInfo(s)
	case id.Kind == camdriver.Pose:
		st.frameID = w.camera + "_odom_frame"
		add(&st.sample, "odom/sample", "nav_msgs/Odometry")
		add(&st.metadata, "odom/metadata", "realsense2_camera/Metadata")
	case id.Kind.Inertial():
		add(&st.sample, name+"/sample", "sensor_msgs/Imu")
		add(&st.metadata, name+"/metadata", "realsense2_camera/Metadata")
		w.static = append(w.static, staticTopic{w.camera + "/" + name + "/imu_info", "realsense2_camera/IMUInfo", imuInfo(st.frameID, s.Motion)})
	}
	if id.Kind == camdriver.Infrared && id.Index == 2 {
		// As realsense2_camera: the right image is said to be in the left one's
		// frame, and P[3] holds the baseline, which is how ROS describes a
		// rectified stereo pair.
		st.frameID = opticalFrame(w.camera, camdriver.StreamID{Kind: camdriver.Infrared, Index: 1})
	}
	w.streams[id] = st
	return errors.Join(errs...)
}

func (w *wrapperTopics) advertise(topic, typ string, latch bool) (*ros.Publisher, error) {
	t := msgs.MustType(typ)
	p, err := w.out.Advertise(ros.PublisherOptions{Topic: topic, Type: t.Name, MD5: t.MD5, Definition: t.Definition, Latch: latch})
	if err != nil {
		return nil, fmt.Errorf("advertise %s: %w", topic, err)
	}
	w.all = append(w.all, p)
	return p, nil
}

// Frame implements camdriver.Handler.
func (w *wrapperTopics) Frame(_ int, f *camdriver.Frame) {
	st, ok := w.streams[f.Stream()]
	if !ok {
		return
	}
	stamp := w.stamps.stamp(f)
	seq := st.seq.Add(1) - 1
	header := msgs.Header{Seq: seq, Stamp: stamp, FrameID: st.frameID}
	if wanted(st.metadata) {
		publish(st.metadata, &msgs.Metadata{Header: header, JSONData: metadataJSON(f)})
	}
	switch {
	case st.image != nil:
		w.publishImage(st, header, f)
	case st.kind == camdriver.Pose:
		if wanted(st.sample) {
			publish(st.sample, odometry(header, w.camera+"_pose_frame", f))
		}
	case wanted(st.sample):
		publish(st.sample, imu(header, st.kind, f))
	}
}

func (w *wrapperTopics) publishImage(st *wrapperStream, header msgs.Header, f *camdriver.Frame) {
	if wanted(st.info) {
		info := st.camera
		info.Header = header
		publish(st.info, &info)
	}
	if !wanted(st.image) {
		return
	}
	body, owner := millimetres(f, w.pool)
	if body == nil {
		return // the pool is exhausted: subscribers already have more than they can take
	}
	head := msgs.ImageHead{
		Header: header, Height: uint32(f.Height), Width: uint32(f.Width), Encoding: wrapperEncoding(f.Profile.Format),
		Step: uint32(f.Stride), DataLen: uint32(len(body)),
	}
	st.image.Publish(ros.Message{Head: msgs.Marshal(&head), Body: body, Owner: owner})
}

// OptionChanged implements camdriver.Handler; the wrapper has no topic for it.
func (w *wrapperTopics) OptionChanged(int, camdriver.OptionID, float32) {}

// Notification implements camdriver.Handler; the live node logs them.
func (w *wrapperTopics) Notification(int, camdriver.Notification) {}

// StatusChanged implements camdriver.Handler. A camera that comes back has
// started its clock anew.
func (w *wrapperTopics) StatusChanged(s camdriver.Status) {
	if s.Kind == camdriver.StatusDisconnected {
		w.stamps.reset()
	}
}

// Close ends all topics.
func (w *wrapperTopics) Close() error {
	for _, p := range w.all {
		p.Close()
	}
	return nil
}

func wanted(p *ros.Publisher) bool { return p != nil && p.Subscribers() > 0 }

func publish(p *ros.Publisher, m msgs.Message) { p.Publish(ros.Message{Head: msgs.Marshal(m)}) }

// wrapperName is realsense2_camera's word for a stream: "infra1", "gyro".
func wrapperName(id camdriver.StreamID) string {
	name := strings.ToLower(id.Kind.String())
	if id.Kind == camdriver.Infrared {
		name = "infra"
	}
	if id.Index > 0 {
		return fmt.Sprint(name, id.Index)
	}
	return name
}

// imageTopic: the depth module's pictures are rectified, the others are not.
func imageTopic(k camdriver.StreamKind) string {
	if k == camdriver.Depth || k == camdriver.Infrared || k == camdriver.Confidence {
		return "image_rect_raw"
	}
	return "image_raw"
}
