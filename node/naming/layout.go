package naming

import (
	"fmt"
	"math"
	"strings"

	"rsros/camdriver"
	"rsros/camdriver/imu"
	"rsros/msgs"
)

// layout is realsense2_camera's view of a device: its topics, and what a frame
// becomes on each. Types, encodings, frames and latching are the same, so that
// launch files, rviz configurations and subscribers written for realsense2_camera
// work unchanged. WrapperTopics and Source both use it.
type layout struct {
	options WrapperOptions
	camera  string // prefix of topics and frames
	streams map[camdriver.StreamID]*stream
	static  []staticTopic
	pool    *camdriver.Pool // for pictures that must be converted
}

// staticTopic is a latched message that never changes.
type staticTopic struct {
	topic, typ string
	msg        msgs.Message
}

// stream is one stream's topics, in the order in which a frame's messages
// are published.
type stream struct {
	frameID string
	format  camdriver.Format
	depth   bool // its images are depth, in colours or not
	topics  []streamTopic
}

// streamTopic is one topic of a stream. encode makes a frame's message. It returns
// false if there is no memory for it.
type streamTopic struct {
	topic, typ string
	encode     func(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool)
}

// newLayout lays out the streams in snap. poolLimit bounds the memory of
// pictures that must be converted.
func newLayout(o WrapperOptions, snap camdriver.DeviceSnapshot, poolLimit int64) *layout {
	l := &layout{options: o, camera: o.Camera, streams: map[camdriver.StreamID]*stream{}, pool: camdriver.NewPool(poolLimit)}
	for _, s := range snap.Streams {
		l.addStream(s)
	}
	l.static = append(l.static, l.calibrations(snap)...)
	if o.NoTF || o.TFRate > 0 {
		return l
	}
	l.static = append(l.static, staticTopic{"/tf_static", "tf2_msgs/TFMessage", staticTransforms(&o, snap)})
	return l
}

// unites says whether gyroscope and accelerometer are one topic.
func (l *layout) unites() bool { return l.options.UniteIMU != "" && l.options.UniteIMU != imu.None }

// noLimit is for a pool whose use is bounded elsewhere.
const noLimit = math.MaxInt64

func (l *layout) addStream(s camdriver.StreamSnapshot) {
	id := s.Profile.Stream
	name := StreamName(id)
	st := &stream{frameID: l.options.opticalFrame(id), format: s.Profile.Format, depth: id.Kind == camdriver.Depth}
	add := func(topic, typ string, encode func(msgs.Header, *camdriver.Frame) (msgs.Raw, bool)) {
		st.topics = append(st.topics, streamTopic{l.camera + "/" + topic, typ, encode})
	}
	switch {
	case id.Kind.Video():
		add(name+"/metadata", "realsense2_camera/Metadata", encodeMetadata)
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
		add("odom/metadata", "realsense2_camera/Metadata", encodeMetadata)
		add("odom/sample", "nav_msgs/Odometry", func(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
			return whole(l.odometry(h, f)), true
		})
		if !l.options.NoOdomTF {
			st.topics = append(st.topics, streamTopic{"/tf", "tf2_msgs/TFMessage", func(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
				return whole(l.odometryTransform(h, f)), true
			}})
		}
	case id.Kind.Inertial():
		add(name+"/metadata", "realsense2_camera/Metadata", encodeMetadata)
		if !l.unites() || id.Kind == camdriver.Motion {
			add(name+"/sample", "sensor_msgs/Imu", func(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
				return whole(l.imuMessage(h, id.Kind, f)), true
			})
		}
		l.static = append(l.static, staticTopic{l.camera + "/" + name + "/imu_info", "realsense2_camera/IMUInfo", imuInfo(st.frameID, s.Motion)})
	}
	if id.Kind == camdriver.Infrared && id.Index == 2 {
		// As in realsense2_camera, the right image has the left one's frame_id, and
		// P[3] holds the baseline. This is how ROS describes a rectified stereo pair.
		st.frameID = l.options.opticalFrame(camdriver.StreamID{Kind: camdriver.Infrared, Index: 1})
	}
	l.streams[id] = st
}

func whole(m msgs.Message) msgs.Raw { return msgs.Raw{Head: msgs.Marshal(m)} }

func encodeMetadata(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
	return whole(&msgs.Metadata{Header: h, JSONData: metadataJSON(f)}), true
}

func cameraInfoEncoder(s camdriver.StreamSnapshot) func(msgs.Header, *camdriver.Frame) (msgs.Raw, bool) {
	camera := cameraInfo(s)
	return func(h msgs.Header, _ *camdriver.Frame) (msgs.Raw, bool) {
		info := camera
		info.Header = h
		return whole(&info), true
	}
}

// cameraInfoType is the type of topics whose messages follow a frame's own lens.
const cameraInfoType = "sensor_msgs/CameraInfo"

// cameraInfoOf is that of a frame whose size or lens isn't its stream's.
func cameraInfoOf(h msgs.Header, f *camdriver.Frame, lens *camdriver.Intrinsics) msgs.Raw {
	s := camdriver.StreamSnapshot{Profile: f.Profile, Video: lens}
	s.Profile.Width, s.Profile.Height = f.Width, f.Height
	info := cameraInfo(s)
	info.Header = h
	return whole(&info)
}

func (l *layout) encodeImage(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
	if l.inRGB(f.Profile) {
		return l.encodeRGB(h, f)
	}
	body, owner := millimetres(f, l.pool)
	if owner == nil {
		return msgs.Raw{}, false
	}
	head := msgs.ImageHead{
		Header: h, Height: uint32(f.Height), Width: uint32(f.Width), Encoding: wrapperEncoding(f.Profile.Format),
		Step: uint32(f.Stride), DataLen: uint32(len(body)),
	}
	return msgs.Raw{Head: msgs.Marshal(&head), Body: body, Owner: owner}, true
}

// calibrations returns the latched topics of extrinsics, from depth to each other
// video stream.
func (l *layout) calibrations(snap camdriver.DeviceSnapshot) []staticTopic {
	if snap.Reference.Kind != camdriver.Depth {
		return nil
	}
	var out []staticTopic
	for _, s := range snap.Streams {
		id := s.Profile.Stream
		if s.Extrinsic == nil || !id.Kind.Video() || id == snap.Reference {
			continue
		}
		name := "depth_to_" + StreamName(id)
		out = append(out, staticTopic{l.camera + "/extrinsics/" + name, "realsense2_camera/Extrinsics", &msgs.Extrinsics{
			Header:      msgs.Header{FrameID: name + "_extrinsics"},
			Rotation:    camdriver.Transpose(s.Extrinsic.Rotation), // column-major
			Translation: s.Extrinsic.Translation,
		}})
	}
	return out
}

// StreamName is realsense2_camera's name of a stream, such as "infra1" or "gyro".
func StreamName(id camdriver.StreamID) string {
	name := strings.ToLower(id.Kind.String())
	if id.Kind == camdriver.Infrared {
		name = "infra"
	}
	if id.Index > 0 {
		return fmt.Sprint(name, id.Index)
	}
	return name
}

// imageTopic is the last part of an image topic's name: the depth module's images
// are rectified, the others aren't.
func imageTopic(id camdriver.StreamID) string {
	if k := id.Kind; k == camdriver.Depth || k == camdriver.Infrared && id.Index > 0 || k == camdriver.Confidence {
		return "image_rect_raw"
	}
	return "image_raw"
}
