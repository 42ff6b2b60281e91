package naming

import (
	"math"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
)

// layout holds realsense2_camera's topics of a device, and encodes frames for them. Types,
// encodings, tf frames and latching are the same, so that launch files, rviz
// configurations and subscribers for realsense2_camera work unchanged.
type layout struct {
	options  WrapperOptions
	camera   string // prefix of topics and frames
	streams  map[camdriver.StreamID]*stream
	static   []staticTopic
	pool     *camdriver.Pool // of converted images
	numbered bool            // messages have the numbers of their frames
}

type staticTopic struct {
	topic, typ string
	msg        msgs.Message
}

// stream holds the topics of a stream, in the order of publication.
type stream struct {
	frameID string
	format  camdriver.Format
	depth   bool // its images are depth, possibly coloured
	topics  []streamTopic
}

type streamTopic struct {
	topic, typ string
	encode     encode
}

// encode makes a frame's message. It returns false if memory is exhausted.
type encode func(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool)

// newLayout bounds the memory of converted images to poolLimit bytes.
func newLayout(o WrapperOptions, snap camdriver.DeviceSnapshot, poolLimit int64) *layout {
	l := &layout{options: o, camera: o.Camera, streams: map[camdriver.StreamID]*stream{},
		pool: camdriver.NewPool(poolLimit)}
	for _, s := range snap.Streams {
		l.addStream(s)
	}
	l.addExtrinsics(snap)
	if !o.NoTF && o.TFRate <= 0 {
		l.static = append(l.static, staticTopic{"/tf_static", tfType, staticTransforms(&o, snap)})
	}
	return l
}

// unites reports whether gyroscope and accelerometer have one topic.
func (l *layout) unites() bool {
	return l.options.UniteIMU != "" && l.options.UniteIMU != process.UniteNone
}

// noLimit is the limit of a pool whose use is bounded elsewhere.
const noLimit = math.MaxInt64

const (
	metadataType = "realsense2_camera/Metadata"
	tfType       = "tf2_msgs/TFMessage"
	// cameraInfoType is the type of topics whose messages follow a frame's own intrinsics.
	cameraInfoType = "sensor_msgs/CameraInfo"
)

func (l *layout) addStream(s camdriver.StreamSnapshot) {
	id := s.Profile.Stream
	name := rslayout.NodeName(id)
	st := &stream{frameID: l.options.opticalFrame(id), format: s.Profile.Format, depth: id.Kind == camdriver.Depth}
	add := func(topic, typ string, encode encode) {
		st.topics = append(st.topics, streamTopic{l.camera + "/" + topic, typ, encode})
	}
	switch {
	case id.Kind.Video():
		add(name+"/metadata", metadataType, encodeMetadata)
		add(name+"/camera_info", cameraInfoType, cameraInfoEncoder(s))
		add(name+"/"+imageTopic(id), imageType, l.encodeImage)
		if id.Kind == camdriver.Color && l.options.RGBD {
			add(name+"/image_rect_color", imageType, l.encodeImage)
		}
		if id.Kind == camdriver.Depth && st.format == camdriver.Z16 {
			st.format = l.depthFormat()
		}
		if l.inRGB(s.Profile) {
			st.format = camdriver.RGB8
		}
	case id.Kind == camdriver.Pose:
		st.frameID = l.options.frame("odom_frame")
		add("odom/metadata", metadataType, encodeMetadata)
		add("odom/sample", "nav_msgs/Odometry", func(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
			return whole(l.odometry(h, f)), true
		})
		if !l.options.NoOdomTF {
			st.topics = append(st.topics, streamTopic{"/tf", tfType, func(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
				return whole(l.odometryTransform(h, f)), true
			}})
		}
	case id.Kind.Inertial():
		add(name+"/metadata", metadataType, encodeMetadata)
		if !l.unites() || id.Kind == camdriver.Motion {
			add(name+"/sample", "sensor_msgs/Imu", func(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
				return whole(l.imuMessage(h, id.Kind, f)), true
			})
		}
		l.static = append(l.static,
			staticTopic{l.camera + "/" + name + "/imu_info", "realsense2_camera/IMUInfo", imuInfo(st.frameID, s.Motion)})
	}
	if id.Kind == camdriver.Infrared && id.Index == 2 {
		// As in realsense2_camera, the right image has the left one's frame_id, and
		// P[3] has the baseline, as ROS describes a rectified stereo pair.
		st.frameID = l.options.opticalFrame(camdriver.LeftStream)
	}
	l.streams[id] = st
}

func whole(m msgs.Message) msgs.Raw { return msgs.Raw{Head: msgs.Marshal(m)} }

// encodeMetadata calls whole with the message's type, as all encoders do: through an interface
// or a type parameter, the message would be allocated.
func encodeMetadata(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
	return whole(&msgs.Metadata{Header: h, JSONData: metadataJSON(f)}), true
}

func cameraInfoEncoder(s camdriver.StreamSnapshot) encode {
	camera := cameraInfo(s)
	return func(h msgs.Header, _ *camdriver.Frame) (msgs.Raw, bool) {
		info := *camera
		info.Header = h
		return whole(&info), true
	}
}

// cameraInfoOf returns the CameraInfo of a frame whose size or intrinsics aren't its stream's.
func cameraInfoOf(h msgs.Header, f *camdriver.Frame, lens *camdriver.Intrinsics) msgs.Raw {
	s := camdriver.StreamSnapshot{Profile: f.Profile, Video: lens}
	s.Profile.Width, s.Profile.Height = f.Width, f.Height
	info := cameraInfo(s)
	info.Header = h
	return whole(info)
}

func (l *layout) encodeImage(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
	format, step, convert := f.Profile.Format, f.Stride, millimetres
	if l.inRGB(f.Profile) {
		format, step, convert = camdriver.RGB8, 3*f.Width, greyToRGB
	}
	body, owner := convert(f, l.pool)
	if owner == nil {
		return msgs.Raw{}, false
	}
	head := msgs.ImageHead{
		Header: h, Height: uint32(f.Height), Width: uint32(f.Width), Encoding: wrapperEncoding(format),
		Step: uint32(step), DataLen: uint32(len(body)),
	}
	return msgs.Raw{Head: msgs.Marshal(&head), Body: body, Owner: owner}, true
}

// inRGB reports whether grey images of a stream are published as rgb8, for infra_rgb.
func (l *layout) inRGB(p camdriver.Profile) bool {
	return l.options.InfraRGB && p.Stream.Kind == camdriver.Infrared && p.Format == camdriver.Y8
}

func (l *layout) addExtrinsics(snap camdriver.DeviceSnapshot) {
	if snap.Reference.Kind != camdriver.Depth {
		return
	}
	for _, s := range snap.Streams {
		id := s.Profile.Stream
		if s.Extrinsic == nil || !id.Kind.Video() || id == snap.Reference {
			continue
		}
		name := "depth_to_" + rslayout.NodeName(id)
		l.static = append(l.static,
			staticTopic{l.camera + "/extrinsics/" + name, "realsense2_camera/Extrinsics", &msgs.Extrinsics{
				Header:      msgs.Header{FrameID: name + "_extrinsics"},
				Rotation:    camdriver.Transpose(s.Extrinsic.Rotation), // column-major
				Translation: s.Extrinsic.Translation,
			}})
	}
}

// imageTopic returns the last part of a name. Only the depth module's images are rectified.
func imageTopic(id camdriver.StreamID) string {
	if k := id.Kind; k == camdriver.Depth || k == camdriver.Infrared && id.Index > 0 || k == camdriver.Confidence {
		return "image_rect_raw"
	}
	return "image_raw"
}
