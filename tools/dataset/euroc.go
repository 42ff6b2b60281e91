package dataset

import (
	"fmt"
	"strings"

	"rsros/camdriver"
	"rsros/tools/export"
)

// euroc is the layout of the EuRoC MAV data sets (ASL).
var euroc = Form{
	Name:    "euroc",
	Need:    "an image stream besides depth",
	Cameras: func(has func(camdriver.StreamID) bool) []camdriver.StreamID { return Eyes(has, true) },
	Open:    openEuRoC,
	Stamped: true,
	Truth:   true,
}

// Eyes returns the streams of images, those of a stereo pair first, and depth last.
func Eyes(has func(camdriver.StreamID) bool, depth bool) (list []camdriver.StreamID) {
	for _, id := range []camdriver.StreamID{
		{Kind: camdriver.Infrared}, {Kind: camdriver.Infrared, Index: 1}, {Kind: camdriver.Infrared, Index: 2},
		{Kind: camdriver.Fisheye}, {Kind: camdriver.Fisheye, Index: 1},
		{Kind: camdriver.Fisheye, Index: 2}, {Kind: camdriver.Color},
	} {
		if has(id) {
			list = append(list, id)
		}
	}
	if id := camdriver.DepthStream; depth && len(list) > 0 && has(id) {
		list = append(list, id)
	}
	return list
}

type eurocWriter struct {
	*Input
	*united // Motion
	places  []string
	lists   []*export.Table
	poses   *export.Table
}

func nanoseconds(ns int64) string { return fmt.Sprint(ns) }

func openEuRoC(s *Input) (Writer, error) {
	const gyro = ",w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1]"
	const accel = ",a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]"
	const stamp, end = "#timestamp [ns]", "\n"
	w := &eurocWriter{Input: s,
		poses: s.table("mav0/state_groundtruth_estimate0/data.csv",
			"#timestamp,p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []\n"),
		united: newUnited(s,
			InertialTables{",", nanoseconds, s.table("mav0/gyro0/data.csv", stamp+gyro+end),
				s.table("mav0/accel0/data.csv", stamp+accel+end)},
			s.table("mav0/imu0/data.csv", stamp+gyro+accel+end)),
	}
	for i, id := range s.Cameras {
		place := fmt.Sprintf("mav0/cam%d", i)
		if id.Kind == camdriver.Depth {
			place = "mav0/depth0"
		}
		w.places, w.lists = append(w.places, place), append(w.lists, s.table(place+"/data.csv", stamp+",filename\n"))
	}
	return w, nil
}

func (w *eurocWriter) Set(one *Set) error {
	for i, img := range one.Images {
		file := fmt.Sprintf("%d.png", one.Stamps[i])
		if err := w.image(w.places[i]+"/data/"+file, img); err != nil {
			return err
		}
		if err := w.lists[i].Printf("%d,%s\n", one.Stamps[i], file); err != nil {
			return err
		}
	}
	return nil
}

func (w *eurocWriter) Place(at int64, t [3]float64, r [4]float64) error {
	return w.poses.Printf("%d,%v,%v,%v,%v,%v,%v,%v\n", at, t[0], t[1], t[2], r[3], r[0], r[1], r[2])
}

func (w *eurocWriter) Finish() error {
	if err := w.trajectory(w.Place); err != nil {
		return err
	}
	w.united.note()
	body, name := w.body()
	if err := w.text("mav0/body.yaml", "comment: the body frame is that of "+name+"\n"); err != nil {
		return err
	}
	for i, e := range w.Streams {
		e.Place = w.name(w.places[i])
		if err := w.text(w.places[i]+"/sensor.yaml", eurocCamera(e, between(e.Extrinsics, body))); err != nil {
			return err
		}
	}
	motion := w.Input.inertial()
	if w.united.table.Empty() || motion == nil {
		return nil
	}
	text := fmt.Sprintf("sensor_type: imu\ncomment: %s\n%srate_hz: %d\n%s", motion.Profile.Stream,
		eurocPlace(between(motion.Extrinsic, body)), motion.Profile.FPS, w.Options.Noise.text())
	return w.text("mav0/imu0/sensor.yaml", text)
}

// body returns the extrinsics of the body frame: the inertial sensor's or, if it has none, the first camera's.
func (s *Input) body() (*camdriver.Extrinsics, string) {
	if m := s.inertial(); m != nil && m.Extrinsic != nil {
		return m.Extrinsic, "imu0"
	}
	return s.Streams[0].Extrinsics, "cam0"
}

// eurocPlace is T_BS, which maps points of the sensor to the body.
func eurocPlace(e *camdriver.Extrinsics) string {
	if e == nil {
		return "# T_BS: the recording has no extrinsics\n"
	}
	m := matrix(*e)
	return fmt.Sprintf("T_BS:\n  cols: 4\n  rows: 4\n  data: %s\n", numbers(m[:]...))
}

func eurocCamera(e *StreamEntry, place *camdriver.Extrinsics) string {
	var b strings.Builder
	kind := "camera"
	if e.Depth > 0 {
		kind = "depth_camera"
	}
	fmt.Fprintf(&b, "sensor_type: %s\ncomment: %s\n%srate_hz: %d\nresolution: %s\n", kind, e.Stream, eurocPlace(place),
		e.Rate, numbers(e.Width, e.Height))
	if in := e.Intrinsics; in != nil {
		model, _, k, why := lens(in)
		if why != "" {
			fmt.Fprintf(&b, "# %s\n", why)
		}
		fmt.Fprintf(&b, "camera_model: pinhole\nintrinsics: %s #fu, fv, cu, cv\ndistortion_model: %s\ndistortion_coefficients: %s\n",
			numbers(in.Fx, in.Fy, in.Ppx, in.Ppy), model, numbers(k...))
	}
	if e.Depth > 0 {
		fmt.Fprintf(&b, "depth_factor: %v # metres = value / depth_factor\n", e.Factor)
	}
	return b.String()
}
