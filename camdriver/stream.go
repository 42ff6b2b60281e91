package camdriver

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// StreamKind is what a stream carries. Values are those of rs2_stream.
type StreamKind uint8

// The kinds of stream, in rs2_stream order.
const (
	AnyStream StreamKind = iota
	Depth
	Color
	Infrared
	Fisheye
	Gyro
	Accel
	Gpio
	Pose
	Confidence
	Motion
	Safety // this and the following since librealsense 2.57
	Occupancy
	LabeledPointCloud
	ObjectDetection // since 2.58.2
)

var streamNames = [...]string{
	"Any", "Depth", "Color", "Infrared", "Fisheye", "Gyro", "Accel", "Gpio", "Pose", "Confidence", "Motion",
	"Safety", "Occupancy", "Labeled Point Cloud", "Object Detection",
}

// String returns the SDK's name: "Depth", "Object Detection".
func (k StreamKind) String() string { return nameOf(streamNames[:], k) }

// ParseStreamKind is the inverse of String. It rejects "Any".
func ParseStreamKind(s string) (StreamKind, bool) {
	k, ok := parseName[StreamKind](streamNames[:], s)
	return k, ok && k != AnyStream
}

// Video reports whether frames of this kind are images.
func (k StreamKind) Video() bool {
	return k == Depth || k == Color || k == Infrared || k == Fisheye || k == Confidence
}

// Inertial reports whether frames of this kind carry a Motion sample.
func (k StreamKind) Inertial() bool { return k == Gyro || k == Accel || k == Motion }

// StreamID identifies a stream of a device. Index is 0 if the device has only one
// stream of the kind; the infrared imagers of a stereo camera are 1 and 2.
type StreamID struct {
	Kind  StreamKind
	Index int
}

// The streams of stereo cameras with a colour imager, inertial sensors and tracking.
var (
	DepthStream = StreamID{Kind: Depth}
	LeftStream  = StreamID{Infrared, 1}
	RightStream = StreamID{Infrared, 2}
	ColorStream = StreamID{Kind: Color}
	GyroStream  = StreamID{Kind: Gyro}
	AccelStream = StreamID{Kind: Accel}
	PoseStream  = StreamID{Kind: Pose}
)

// String returns the form used in topic names: "Infrared_2", "Object_Detection_0".
func (s StreamID) String() string {
	return strings.ReplaceAll(s.Kind.String(), " ", "_") + "_" + strconv.Itoa(s.Index)
}

// Compare orders streams by kind, then by index.
func (s StreamID) Compare(t StreamID) int {
	return cmp.Or(cmp.Compare(s.Kind, t.Kind), cmp.Compare(s.Index, t.Index))
}

// ParseStreamID is the inverse of StreamID.String.
func ParseStreamID(s string) (StreamID, error) {
	cut := max(strings.LastIndexByte(s, '_'), 0)
	kind, known := ParseStreamKind(strings.ReplaceAll(s[:cut], "_", " "))
	n, err := strconv.ParseUint(strings.TrimPrefix(s[cut:], "_"), 10, 31)
	if !known || err != nil {
		return StreamID{}, fmt.Errorf("stream %q: want <Kind>_<index>, such as Depth_0", s)
	}
	return StreamID{kind, int(n)}, nil
}

// Format is a pixel or sample format. Values are those of rs2_format.
type Format uint8

// The formats that this module handles. Others are passed on unchanged.
const (
	AnyFormat    Format = 0
	Z16          Format = 1  // 16-bit depth, in DepthUnits
	XYZ32F       Format = 3  // a point: three float32, metres
	YUYV         Format = 4  // 16 bits a pixel
	RGB8         Format = 5  // 24 bits a pixel
	BGR8         Format = 6  // 24 bits a pixel
	RGBA8        Format = 7  // 32 bits a pixel
	BGRA8        Format = 8  // 32 bits a pixel
	Y8           Format = 9  // 8-bit grey
	Y16          Format = 10 // 16-bit grey
	RAW10        Format = 11
	RAW16        Format = 12
	RAW8         Format = 13
	UYVY         Format = 14
	MotionXYZ32F Format = 16 // three float32
	SixDOF       Format = 18 // a Pose
	Disparity32  Format = 19 // float32, in 32nds of a pixel
	Distance     Format = 21 // float32, metres
	Y8I          Format = 23 // interleaved left and right Y8
	Y12I         Format = 24 // interleaved left and right, 12 bits each
	W10          Format = 27
	Z16H         Format = 28
	MotionFull   Format = 33 // COMBINED_MOTION: orientation, rate, acceleration
	NV12         Format = 34 // 8-bit grey, then colour of every fourth pixel; since librealsense 2.58.2
	H264         Format = 35 // video; since librealsense 2.59.1
)

var formatNames = [...]string{
	"ANY", "Z16", "DISPARITY16", "XYZ32F", "YUYV", "RGB8", "BGR8", "RGBA8", "BGRA8", "Y8", "Y16", "RAW10",
	"RAW16", "RAW8", "UYVY", "MOTION_RAW", "MOTION_XYZ32F", "GPIO_RAW", "6DOF", "DISPARITY32", "Y10BPACK",
	"DISTANCE", "MJPEG", "Y8I", "Y12I", "INZI", "INVI", "W10", "Z16H", "FG", "Y411", "Y16I", "M420",
	"COMBINED_MOTION", "NV12", "H264",
}

// String returns the rs2_format name: "Z16", "6DOF".
func (f Format) String() string { return nameOf(formatNames[:], f) }

// ParseFormat is the inverse of Format.String; case is ignored.
func ParseFormat(s string) (Format, bool) {
	return parseName[Format](formatNames[:], strings.ToUpper(s))
}

// BitsPerPixel returns 0 for formats that are not images or not known to this module.
func (f Format) BitsPerPixel() int {
	switch f {
	case Y8, RAW8:
		return 8
	case RAW10, W10:
		return 10
	case NV12:
		return 12
	case Z16, Y16, YUYV, UYVY, RAW16, Y8I, Z16H:
		return 16
	case RGB8, BGR8, Y12I:
		return 24
	case RGBA8, BGRA8, Disparity32, Distance:
		return 32
	case XYZ32F:
		return 96
	}
	return 0
}

// Profile is a configuration that a stream supports. Width and Height are 0 unless the stream is video.
type Profile struct {
	Stream  StreamID
	Format  Format
	Width   int
	Height  int
	FPS     int
	Default bool // used unless the user chooses a profile
}

// String returns the form "Depth_0 Z16 848x480@30" or "Gyro_0 MOTION_XYZ32F @200".
func (p Profile) String() string {
	size := ""
	if p.Width > 0 {
		size = fmt.Sprintf("%dx%d", p.Width, p.Height)
	}
	return fmt.Sprintf("%s %s %s@%d", p.Stream, p.Format, size, p.FPS)
}

// FrameSize returns the size of an image in bytes without row padding, or 0.
func (p Profile) FrameSize() int { return p.Width * p.Height * p.Format.BitsPerPixel() / 8 }

// nameOf returns the name of an enumerated value; "UNKNOWN" if it has none.
func nameOf[T ~uint8](names []string, v T) string {
	if int(v) >= len(names) {
		return "UNKNOWN"
	}
	return names[v]
}

// parseName is the inverse of nameOf.
func parseName[T ~uint8](names []string, s string) (T, bool) {
	i := slices.Index(names, s)
	return T(max(i, 0)), i >= 0
}

// SnakeCase converts a name to the form of ROS's names: "Actual Exposure" to "actual_exposure".
func SnakeCase(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "_") }
