package dataset

import (
	"fmt"

	"rsros/camdriver"
	"rsros/tools/export"
)

// tum is the layout of TUM's RGB-D benchmark.
var tum = Form{
	Name: "tum",
	Need: "Depth_0, and Color_0 or Infrared_1",
	Cameras: func(has func(camdriver.StreamID) bool) []camdriver.StreamID {
		depth := camdriver.DepthStream
		for _, id := range []camdriver.StreamID{camdriver.ColorStream, camdriver.LeftStream, {Kind: camdriver.Infrared}} {
			if has(depth) && has(id) {
				return []camdriver.StreamID{id, depth}
			}
		}
		return nil
	},
	Open:    openTUM,
	Stamped: true,
	Truth:   true,
}

type tumWriter struct {
	*Input
	lists        [2]*export.Table // rgb.txt, depth.txt
	associations *export.Table
	inertial     InertialTables
	poses        *export.Table
}

var tumPlaces = [2]string{"rgb", "depth"}

func openTUM(s *Input) (Writer, error) {
	w := &tumWriter{Input: s,
		inertial: InertialTables{" ", seconds,
			s.table("gyroscope.txt", "# timestamp wx wy wz (rad/s)\n"),
			s.table("accelerometer.txt", "# timestamp ax ay az (m/s^2)\n")},
		associations: s.table("associations.txt", ""),
		poses:        s.table("groundtruth.txt", "# timestamp tx ty tz qx qy qz qw\n"),
	}
	for i, place := range tumPlaces {
		w.lists[i] = s.table(place+".txt",
			fmt.Sprintf("# %s of %s\n# stamps: s, the camera's\n# timestamp filename\n", place, s.Recording))
	}
	return w, nil
}

// seconds prints a stamp exactly, as a decimal number of seconds.
func seconds(ns int64) string { return fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9) }

func (w *tumWriter) Set(one *Set) error {
	var files [2]string
	for i, img := range one.Images {
		files[i] = fmt.Sprintf("%s/%s.png", tumPlaces[i], seconds(one.Stamps[i]))
		if err := w.image(files[i], img); err != nil {
			return err
		}
		if err := w.lists[i].Printf("%s %s\n", seconds(one.Stamps[i]), files[i]); err != nil {
			return err
		}
	}
	return w.associations.Printf("%s %s %s %s\n", seconds(one.Stamps[0]), files[0], seconds(one.Stamps[1]), files[1])
}

func (w *tumWriter) Motion(at int64, f *camdriver.Frame) error { return w.inertial.Sample(at, f) }

func (w *tumWriter) Place(at int64, t [3]float64, r [4]float64) error {
	return w.poses.Printf("%s %v %v %v %v %v %v %v\n", seconds(at), t[0], t[1], t[2], r[0], r[1], r[2], r[3])
}

// finish writes the calibration, which the benchmark has on its web page, and the trajectory.
func (w *tumWriter) Finish() error {
	if err := w.trajectory(w.Place); err != nil {
		return err
	}
	for i, e := range w.Streams {
		e.Place = w.name(tumPlaces[i])
	}
	text := "# stream width height fx fy cx cy k1 k2 p1 p2 k3 model\n"
	for i, e := range w.Streams {
		if in := e.Intrinsics; in != nil {
			text += fmt.Sprintf("%s %d %d %v %v %v %v %v %v %v %v %v %s\n", tumPlaces[i], in.Width, in.Height,
				in.Fx, in.Fy, in.Ppx, in.Ppy,
				in.Coeffs[0], in.Coeffs[1], in.Coeffs[2], in.Coeffs[3], in.Coeffs[4], camdriver.SnakeCase(in.Model.String()))
		}
	}
	text += fmt.Sprintf("# metres = value / factor\ndepth_factor %v\n", w.Streams[1].Factor)
	return w.text("calibration.txt", text)
}
