package dataset

import (
	"fmt"
	"path"

	"rsros/camdriver"
)

// kitti is the layout of KITTI's odometry benchmark.
var kitti = form{
	name:    "kitti",
	need:    "an image stream besides depth",
	cameras: func(has func(camdriver.StreamID) bool) []camdriver.StreamID { return eyes(has, true) },
	open:    openKITTI,
	truth:   tfTruth,
	folder:  func(i int) string { return fmt.Sprintf("sequences/%02d", i) },
}

type kittiWriter struct {
	*sequence
	places   []string
	cams     []int // numbers of projection matrices; -1: depth
	times    *table
	stamps   *table
	inertial inertialTables
	poses    []camdriver.Extrinsics // of the first camera, if there is a path
	without  int                    // images that have no pose
}

func openKITTI(s *sequence) (_ writer, err error) {
	w := &kittiWriter{sequence: s}
	head, grey, colour := "number", 0, 2 // cameras 0 and 1 are grey, 2 and 3 are coloured
	for _, id := range s.cameras {
		n := grey
		switch {
		case id.Kind == camdriver.Depth:
			n = -1
		case id.Kind == camdriver.Color:
			n = colour
		case grey == 2:
			return nil, fmt.Errorf("%s: %w: kitti has two grey cameras, select them by topic", s.Recording, ErrStreams)
		default:
			grey++
		}
		place := fmt.Sprintf("image_%d", n)
		if n < 0 {
			place = "depth"
		}
		w.places, w.cams = append(w.places, place), append(w.cams, n)
		head += "," + place + "_ns"
	}
	w.inertial = inertialCSV(s)
	if w.times, err = s.table("times.txt", ""); err != nil {
		return nil, err
	}
	w.stamps, err = s.table("stamps.csv", head+"\n")
	return w, err
}

func (w *kittiWriter) set(one *set) error {
	if p := w.truth.path; p != nil {
		pose, ok := p.at(one.stamps[0])
		if !ok && w.o.Truth != "" {
			return leaveOut("tf has no pose of the camera at its stamp")
		}
		if !ok {
			w.without++
		}
		w.poses = append(w.poses, pose)
	}
	row := fmt.Sprint(one.number)
	for i, img := range one.images {
		if err := w.image(fmt.Sprintf("%s/%06d.png", w.places[i], one.number), img); err != nil {
			return err
		}
		row += fmt.Sprintf(",%d", one.stamps[i])
	}
	if err := w.times.printf("%s\n", seconds(one.stamps[0]-w.First)); err != nil {
		return err
	}
	return w.stamps.printf("%s\n", row)
}

func (w *kittiWriter) motion(at int64, f *camdriver.Frame) error { return w.inertial.sample(at, f) }

// place leaves poses out: the layout has one for each image, and their stamps are others.
func (w *kittiWriter) place(int64, [3]float64, [4]float64) error { return nil }

// trajectory writes poses in the coordinates of the first one, a line for each image.
func (w *kittiWriter) trajectory() error {
	p := w.truth.path
	switch {
	case p == nil:
		return nil
	case w.without > 0:
		w.note("there is no ground truth: tf has no pose of the camera for %d of %d images; --ground-truth %s:%s leaves their sets out", w.without, len(w.poses), p.from, p.to)
		return nil
	}
	list, err := w.sequence.out.table("poses/"+path.Base(w.Folder)+".txt", "")
	if err != nil {
		return err
	}
	for _, pose := range w.poses {
		m := matrix(pose.Then(w.poses[0].Inverse()))
		text := fmt.Sprintf("%.12e", m[0])
		for _, v := range m[1:12] {
			text += fmt.Sprintf(" %.12e", v)
		}
		if err := list.printf("%s\n", text); err != nil {
			return err
		}
	}
	w.inform("poses are tf's of frame %s, in that of the first image; they were interpolated over at most %.3f s", p.to, float64(p.longest)/1e9)
	return nil
}

// finish writes poses, and the projections of points in the first camera's coordinates.
func (w *kittiWriter) finish() error {
	if err := w.trajectory(); err != nil {
		return err
	}
	text := ""
	for i, e := range w.Streams {
		e.Place = w.name(w.places[i])
		turn := between(w.Streams[0].Extrinsics, e.Extrinsics)
		if i == 0 {
			same := camdriver.Identity()
			turn = &same
		}
		if e.Intrinsics == nil || turn == nil {
			w.note("%s has no calibration", e.Stream)
			continue
		}
		if w.cams[i] >= 0 {
			text += fmt.Sprintf("P%d:", w.cams[i])
		} else {
			text += "P_depth:"
		}
		for _, v := range projection(e.Intrinsics, *turn) {
			text += fmt.Sprintf(" %.12e", v)
		}
		text += "\n"
		if e.Depth > 0 {
			text += fmt.Sprintf("depth_factor: %v\n", e.Factor)
		}
		if in := e.Intrinsics; in.Coeffs != [5]float64{} {
			w.note("images of %s are distorted, which the layout doesn't have: the coefficients are in the manifest", e.Stream)
		}
	}
	return w.text("calib.txt", text)
}

// projection returns K·[R|t] by rows.
func projection(in *camdriver.Intrinsics, e camdriver.Extrinsics) (p [12]float64) {
	m := matrix(e)
	for c := range 4 {
		p[c] = in.Fx*m[c] + in.Ppx*m[8+c]
		p[4+c] = in.Fy*m[4+c] + in.Ppy*m[8+c]
		p[8+c] = m[8+c]
	}
	return p
}
