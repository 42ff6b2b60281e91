package samplebag

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
)

// Robot's bag has RobotSets images of RobotWidth by RobotHeight pixels, one every RobotStep
// from RobotStart.
const (
	RobotStart  = bagstore.Time(1_700_000_000e9)
	RobotStep   = bagstore.Time(1e8)
	RobotSets   = 20
	RobotWidth  = 64
	RobotHeight = 48
)

// RobotPixel returns a pixel of Robot's images: blue, green and red.
func RobotPixel(set, x, y int) [3]byte { return [3]byte{byte(4 * x), byte(5 * y), byte(10 * set)} }

// Robot writes a bag of a robot without a RealSense: images, points and ranges of a laser
// scanner, transforms, a latched map before everything else, and a battery with a type that
// only the bag defines.
func Robot(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	r := robot{Create(t, path, bagstore.Options{ChunkSize: 16 << 10})}
	static := r.topic("/tf_static", msgs.MustType("tf2_msgs/TFMessage"), true)
	for _, child := range []string{"base", "camera", "laser"} {
		r.write(static, 0, r.transform("robot", child, 0))
	}
	r.write(r.topic("/map", msgs.MustType("std_msgs/String"), true), 0, func(e *msgs.Encoder) { e.String("here be dragons") })
	image, points, scan := r.topic("/camera/image", msgs.MustType("sensor_msgs/Image"), false), r.topic("/lidar", msgs.MustType("sensor_msgs/PointCloud2"), false),
		r.topic("/scan", msgs.MustType("sensor_msgs/LaserScan"), false)
	moving, battery := r.topic("/tf", msgs.MustType("tf2_msgs/TFMessage"), false), r.topic("/battery", batteryType(t), false)
	for set := range RobotSets {
		r.write(image, set, r.image(set))
		r.write(points, set, r.points(set))
		r.write(scan, set, r.scan(set))
		r.write(moving, set, r.transform("map", "robot", float64(set)))
		r.write(battery, set, func(e *msgs.Encoder) {
			e.F32(24 - float32(set)/4)
			e.Len(100)
			for cell := range 100 {
				e.U16(uint16(3700 + cell))
			}
			e.String(fmt.Sprintf("set %d", set))
		})
	}
	r.w.Done()
	return path
}

func batteryType(t testing.TB) msgs.Type {
	const definition = "float32 voltage\nuint16[] cells\nstring state\n"
	spec, err := msgs.Parse("robot_msgs/Battery", definition)
	need.Must(t, err)
	return msgs.Type{Name: "robot_msgs/Battery", MD5: spec.MD5(), Definition: definition}
}

type robot struct{ w *Bag }

func (r robot) topic(name string, typ msgs.Type, latching bool) uint32 {
	return r.w.Add(bagstore.Connection{Topic: name, Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition, CallerID: "/robot", Latching: latching})
}

func (r robot) write(id uint32, set int, fill func(*msgs.Encoder)) {
	var e msgs.Encoder
	fill(&e)
	need.Must(r.w.t, r.w.Write(id, RobotStart+bagstore.Time(set)*RobotStep, e.B))
}

func (r robot) header(set int, frame string) msgs.Header {
	return msgs.Header{Seq: uint32(set), Stamp: msgs.Time(RobotStart + bagstore.Time(set)*RobotStep), FrameID: frame}
}

func (r robot) image(set int) func(*msgs.Encoder) {
	h := msgs.ImageHead{Header: r.header(set, "camera"), Width: RobotWidth, Height: RobotHeight, Encoding: "bgr8", Step: 3 * RobotWidth, DataLen: 3 * RobotWidth * RobotHeight}
	return func(e *msgs.Encoder) {
		h.Append(e)
		for i := range RobotWidth * RobotHeight {
			p := RobotPixel(set, i%RobotWidth, i/RobotWidth)
			e.Raw(p[:])
		}
	}
}

// rays is the number of the scanner's directions.
const rays = 360

// distance returns the distance from the centre of a room of 6 by 4 m to its walls.
func distance(ray int) (angle, metres float64) {
	angle = -math.Pi + float64(ray)*2*math.Pi/rays
	return angle, min(3/math.Abs(math.Cos(angle)), 2/math.Abs(math.Sin(angle)))
}

func (r robot) points(set int) func(*msgs.Encoder) {
	h := msgs.PointCloudHead{Header: r.header(set, "laser"), Height: 1, Width: rays, PointStep: 12, RowStep: 12 * rays, DataLen: 12 * rays}
	for i, axis := range []string{"x", "y", "z"} {
		h.Fields = append(h.Fields, msgs.PointField{Name: axis, Offset: uint32(4 * i), Datatype: msgs.PointFloat32, Count: 1})
	}
	return func(e *msgs.Encoder) {
		e.Message(&h)
		for i := range rays {
			a, d := distance(i)
			e.F32s([]float32{float32(d * math.Cos(a)), float32(d * math.Sin(a)), float32(set) / 10})
		}
		e.Bool(true)
	}
}

func (r robot) scan(set int) func(*msgs.Encoder) {
	h := r.header(set, "laser")
	return func(e *msgs.Encoder) {
		h.Append(e)
		e.F32s([]float32{-math.Pi, math.Pi, 2 * math.Pi / rays, 0, 0.1, 0.1, 30})
		e.Len(rays)
		for i := range rays {
			_, d := distance(i)
			e.F32(float32(d))
		}
		e.Len(0)
	}
}

func (r robot) transform(parent, child string, x float64) func(*msgs.Encoder) {
	m := msgs.TFMessage{Transforms: []msgs.TransformStamped{{
		Header: r.header(0, parent), ChildFrameID: child, Transform: msgs.Transform{Translation: msgs.Vector3{X: x}, Rotation: msgs.Quaternion{W: 1}},
	}}}
	return func(e *msgs.Encoder) { e.Message(&m) }
}
