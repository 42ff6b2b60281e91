package dataset

import (
	"context"
	"fmt"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/tools/export"
)

// kalibr is the folder of Kalibr's bagcreater, the bag that it would make, and the calibration.
var kalibr = Form{
	Name:    "kalibr",
	Need:    "an image stream besides depth",
	Cameras: func(has func(camdriver.StreamID) bool) []camdriver.StreamID { return Eyes(has, false) },
	Open:    openKalibr,
	Stamped: true,

	Together: true,
}

type kalibrWriter struct {
	*Input
	*united // Motion
	bag     *rosbag.Output
	topics  []uint32
	imu     uint32 // if there is a sample
	encoder msgs.Encoder
	pixels  []byte
}

func openKalibr(s *Input) (_ Writer, err error) {
	w := &kalibrWriter{Input: s}
	path, err := s.Out.Path(s.name("kalibr.bag"))
	if err != nil {
		return nil, err
	}
	w.bag, err = rosbag.CreateOutput(context.Background(), path, bagstore.Options{Overwrite: true, NoSync: true})
	if err != nil {
		return nil, err
	}
	s.Out.OnError(func() error { return w.bag.Finish(ErrUnfinished) })
	for i := range s.Cameras {
		id, err := w.topic(fmt.Sprintf("/cam%d/image_raw", i), "sensor_msgs/Image")
		if err != nil {
			return nil, err
		}
		w.topics = append(w.topics, id)
	}
	w.united = newUnited(s,
		InertialTables{",", nanoseconds,
			s.table("gyroscope.csv", "timestamp,omega_x,omega_y,omega_z\n"),
			s.table("accelerometer.csv", "timestamp,alpha_x,alpha_y,alpha_z\n")},
		s.table("imu0.csv", "timestamp,omega_x,omega_y,omega_z,alpha_x,alpha_y,alpha_z\n"))
	w.more = w.sample
	return w, nil
}

func (w *kalibrWriter) topic(name, kind string) (uint32, error) {
	t := msgs.MustType(kind)
	return w.bag.AddConnection(bagstore.Connection{Topic: name, Type: t.Name, MD5: t.MD5, Definition: t.Definition})
}

func (w *kalibrWriter) header(seq int, at int64, frame string) msgs.Header {
	return msgs.Header{Seq: uint32(seq), Stamp: msgs.Time(at), FrameID: frame}
}

func (w *kalibrWriter) Set(one *Set) error {
	for i, img := range one.Images {
		if err := w.image(fmt.Sprintf("cam%d/%d.png", i, one.Stamps[i]), img); err != nil {
			return err
		}
		if err := w.message(i, one, img); err != nil {
			return err
		}
	}
	return nil
}

// message writes an image as sensor_msgs/Image, in an encoding that cv_bridge has.
func (w *kalibrWriter) message(i int, one *Set, img process.Image) error {
	p := export.FrameImage(img.Frame)
	rows, _ := p.PNG()
	n, bits := rows.Colour.Channels(), rows.Depth
	encoding := map[[2]int]string{{1, 8}: "mono8", {1, 16}: "mono16", {3, 8}: "rgb8", {4, 8}: "rgba8"}[[2]int{n, bits}]
	step := p.Width * n * bits / 8
	if w.pixels = w.pixels[:0]; cap(w.pixels) < step*p.Height {
		w.pixels = make([]byte, 0, step*p.Height)
	}
	w.pixels = w.pixels[:step*p.Height]
	for y := range p.Height {
		rows.Row(y, w.pixels[y*step:][:step])
	}
	head := msgs.ImageHead{Header: w.header(one.Number, one.Stamps[i], fmt.Sprintf("cam%d", i)),
		Height: uint32(p.Height), Width: uint32(p.Width),
		Encoding: encoding, BigEndian: bits == 16, Step: uint32(step), DataLen: uint32(len(w.pixels))}
	w.encoder.B = w.encoder.B[:0]
	head.Append(&w.encoder)
	return w.bag.Write(w.topics[i], bagstore.Time(one.Stamps[i]), w.encoder.B, w.pixels)
}

// sample writes a united sample into the bag.
func (w *kalibrWriter) sample(m process.UnitedSample) (err error) {
	if w.in == 0 {
		if w.imu, err = w.topic("/imu0", "sensor_msgs/Imu"); err != nil {
			return err
		}
	}
	g, a := m.Gyro, m.Accel
	msg := msgs.Imu{Header: w.header(int(w.in), m.Stamp, "imu0"), Orientation: msgs.Quaternion{W: 1},
		AngularVelocity:    msgs.Vector3{X: g[0], Y: g[1], Z: g[2]},
		LinearAcceleration: msgs.Vector3{X: a[0], Y: a[1], Z: a[2]}}
	msg.OrientationCovariance[0] = -1 // no orientation
	w.encoder.B = w.encoder.B[:0]
	w.encoder.Message(&msg)
	return w.bag.Write(w.imu, bagstore.Time(m.Stamp), w.encoder.B)
}

// place leaves poses out: Kalibr computes them.
func (w *kalibrWriter) Place(int64, [3]float64, [4]float64) error { return nil }

func (w *kalibrWriter) Finish() error {
	w.note()
	if err := w.bag.Finish(nil); err != nil {
		return err
	}
	motion := w.Input.inertial()
	if w.united.table.Empty() {
		motion = nil
	}
	if motion != nil {
		text := fmt.Sprintf("rostopic: /imu0\nupdate_rate: %.1f\n%s", float64(motion.Profile.FPS), w.Options.Noise.text())
		if err := w.text("imu.yaml", text); err != nil {
			return err
		}
	}
	return w.text("camchain.yaml", w.chainText(motion))
}

func (w *kalibrWriter) chainText(motion *camdriver.StreamSnapshot) string {
	var b strings.Builder
	for i, e := range w.Streams {
		e.Place = w.name(fmt.Sprintf("cam%d", i))
		var others []int
		for k := range w.Streams {
			if k != i {
				others = append(others, k)
			}
		}
		name := e.Stream
		if e.Camera != "" {
			name = e.Camera + "'s " + name
		}
		fmt.Fprintf(&b, "cam%d: # %s\n  rostopic: /cam%d/image_raw\n  resolution: %s\n  cam_overlaps: %s\n", i, name,
			i, numbers(e.Width, e.Height), numbers(others...))
		if in := e.Intrinsics; in != nil {
			_, model, k, why := lens(in)
			if why != "" {
				fmt.Fprintf(&b, "  # %s\n", why)
			}
			fmt.Fprintf(&b, "  camera_model: pinhole\n  intrinsics: %s\n  distortion_model: %s\n  distortion_coeffs: %s\n",
				numbers(in.Fx, in.Fy, in.Ppx, in.Ppy), model, numbers(k...))
		}
		if motion != nil && e.Camera == w.Streams[0].Camera { // another camera's place isn't known
			b.WriteString(kalibrMatrix("T_cam_imu", between(motion.Extrinsic, e.Extrinsics)))
			b.WriteString("  timeshift_cam_imu: 0.0\n")
		}
		if i > 0 {
			before := w.Streams[i-1].Extrinsics
			if e.Camera != w.Streams[i-1].Camera {
				before = nil
			}
			b.WriteString(kalibrMatrix("T_cn_cnm1", between(before, e.Extrinsics)))
		}
	}
	return b.String()
}

func kalibrMatrix(name string, e *camdriver.Extrinsics) string {
	if e == nil {
		return fmt.Sprintf("  # %s: the recording has no extrinsics\n", name)
	}
	m := matrix(*e)
	text := "  " + name + ":\n"
	for r := range 4 {
		text += "  - " + numbers(m[4*r:4*r+4]...) + "\n"
	}
	return text
}
