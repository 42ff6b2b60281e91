package rsbag

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

// build makes the snapshot of the description, and notes what is missing.
func (d *description) build() {
	f := d.f
	if f.version == 0 && f.native == nil {
		f.note("no /file_version; read as version %d", rslayout.FileVersion)
	}
	f.snap.Info = rslayout.UniqueInfo(d.info)
	for _, s := range d.streams {
		switch {
		case s.unread():
			f.unread = append(f.unread, s)
			f.note("stream %s: frames of safety cameras and object detection aren't read", s.profile.Stream)
		case len(s.conns) > 0 || s.info != nil || s.profile.Stream.Kind == camdriver.Occupancy:
			f.streams = append(f.streams, s)
		}
	}
	slices.SortFunc(f.streams, func(a, b *stream) int {
		return cmp.Or(a.sensor-b.sensor, a.profile.Stream.Compare(b.profile.Stream))
	})
	for _, s := range f.streams {
		d.profile(s)
	}
	d.extrinsics()
	for i, s := range d.sensors {
		f.snap.Sensors = append(f.snap.Sensors, d.sensorSnapshot(i, s))
	}
	for _, s := range f.streams {
		f.snap.Streams = append(f.snap.Streams, s.snapshot())
	}
}

// unread reports whether the stream is of a kind that only librealsense since 2.57 describes.
func (s *stream) unread() bool {
	kind := s.profile.Stream.Kind
	return len(s.conns) == 0 && kind >= camdriver.Safety && (kind != camdriver.Occupancy || s.info != nil)
}

func (d *description) sensorSnapshot(number int, s *sensorDescription) camdriver.SensorSnapshot {
	info := rslayout.UniqueInfo(s.info)
	name := camdriver.Find(info, camdriver.InfoName)
	if name == "" {
		name = fmt.Sprintf("Sensor %d", number)
		d.f.note("sensor %d has no name", number)
	}
	if len(s.options) == 0 && s.streamed {
		d.f.note("sensor %d (%s) has no options", number, name)
	}
	out := camdriver.SensorSnapshot{Name: name, Info: info, Options: s.sortedOptions(), Filters: s.filters}
	for _, st := range d.f.streams {
		if st.sensor == number {
			out.Profiles = append(out.Profiles, st.profile)
		}
	}
	return out
}

// profile completes a stream's profile from its description, or else from its first frame.
func (d *description) profile(s *stream) {
	f, p := d.f, &s.profile
	s.frames = f.count(s.data)
	head := d.firstImage(s)
	switch {
	case s.info != nil:
		p.FPS, p.Default = int(min(s.info.FPS, 1<<20)), s.info.Recommended
		d.format(s, s.info.Encoding)
	case p.Stream.Kind == camdriver.Occupancy: // never described; see Encoder
		p.Format = camdriver.Y8
	case head != nil:
		d.format(s, head.Encoding)
		fallthrough
	default:
		f.note("stream %s is not described (no StreamInfo)", p.Stream)
	}
	if p.Stream.Kind.Video() {
		if s.camera != nil {
			p.Width, p.Height = int(s.camera.Width), int(s.camera.Height)
		} else {
			f.note("stream %s has no camera_info", p.Stream)
		}
		if head != nil {
			p.Width, p.Height = int(head.Width), int(head.Height)
		}
	}
	if p.FPS == 0 && s.frames > 1 && f.end > 0 {
		p.FPS = max(int(math.Round(float64(s.frames)/time.Duration(f.end).Seconds())), 1)
	}
	if _, has := d.sensor(s.sensor).options[camdriver.OptionDepthUnits]; !has && p.Stream.Kind == camdriver.Depth {
		f.note("sensor %d has no Depth Units; %g m taken where frames do not say", s.sensor, usualUnits)
	}
	if p.Stream.Kind.Inertial() && s.imu == nil {
		f.note("stream %s has no imu_intrinsic", p.Stream)
	}
	if p.Stream.Kind == camdriver.Pose && len(s.conns) > 0 {
		d.poseParts(s)
	}
	if !s.hasMD && s.frames > 0 {
		f.note("stream %s has no metadata", p.Stream)
	}
}

func (d *description) format(s *stream, encoding string) {
	format, known := rslayout.ParseEncoding(encoding)
	if d.f.native != nil {
		format, known = nativeFormat(s.profile.Stream.Kind, encoding)
	}
	if !known {
		d.f.note("stream %s: encoding %q is unknown", s.profile.Stream, encoding)
	}
	s.profile.Format = format
}

func (d *description) poseParts(s *stream) {
	has := func(kind rslayout.TopicKind) bool {
		return slices.ContainsFunc(s.conns, func(id uint32) bool { return d.f.topics[id].Kind == kind })
	}
	if !has(rslayout.TopicPoseTransform) {
		d.f.note("stream %s has no pose/transform; what else there is of its frames is left out", s.profile.Stream)
		return
	}
	if !has(rslayout.TopicPoseAccel) {
		d.f.note("stream %s has no pose/accel; accelerations are 0", s.profile.Stream)
	}
	if !has(rslayout.TopicPoseTwist) {
		d.f.note("stream %s has no pose/twist; velocities are 0", s.profile.Stream)
	}
}

// firstImage returns the head of a video stream's first frame, or nil.
func (d *description) firstImage(s *stream) *msgs.ImageHead {
	if !s.profile.Stream.Kind.Video() || s.frames == 0 || s.first != nil {
		return s.first
	}
	t := d.f.newTrack(s.isData)
	defer t.close()
	t.seek(earliest)
	var head msgs.ImageHead
	if !t.next() || d.f.decode(rslayout.Topic{Kind: rslayout.TopicImage}, t.message(), &head) != nil {
		return nil
	}
	return &head
}

// extrinsics chooses the group of related streams and their reference, the depth stream if possible.
func (d *description) extrinsics() {
	counts := make(map[string]int)
	depth := ""
	for _, s := range d.f.streams {
		for g := range s.tf {
			counts[g]++
			if s.profile.Stream.Kind == camdriver.Depth {
				depth = g
			}
		}
	}
	group := depth
	if group == "" {
		for g, n := range counts {
			if group == "" || n > counts[group] || n == counts[group] && g < group {
				group = g
			}
		}
	}
	if group == "" {
		d.f.note("no extrinsics")
		return
	}
	var ref *stream
	for _, s := range d.f.streams {
		if _, in := s.tf[group]; !in {
			d.f.note("stream %s has no extrinsics", s.profile.Stream)
			continue
		}
		s.group = group
		if ref == nil || s.profile.Stream.Kind == camdriver.Depth && ref.profile.Stream.Kind != camdriver.Depth {
			ref = s
		}
	}
	d.f.snap.Reference = ref.profile.Stream
	d.rebase(ref, group)
}

// rebase makes a group's extrinsics relative to ref.
func (d *description) rebase(ref *stream, group string) {
	base := ref.tf[group]
	if base == camdriver.Identity() {
		return
	}
	for _, s := range d.f.streams {
		if s.group == group {
			s.tf[group] = base.Inverse().Then(s.tf[group])
		}
	}
}

func (s *stream) snapshot() camdriver.StreamSnapshot {
	out := camdriver.StreamSnapshot{Sensor: s.sensor, Profile: s.profile}
	if c := s.camera; c != nil && c.K[0] != 0 {
		model, _ := camdriver.ParseDistortion(c.DistortionModel) // unknown models read as none
		in := camdriver.Intrinsics{Width: int(c.Width), Height: int(c.Height),
			Fx: c.K[0], Fy: c.K[4], Ppx: c.K[2], Ppy: c.K[5], Model: model}
		copy(in.Coeffs[:], c.D)
		out.Video = &in
	}
	if m := s.imu; m != nil && *m != (msgs.ImuIntrinsic{}) {
		out.Motion = &camdriver.MotionIntrinsics{Data: m.Data, NoiseVariances: m.NoiseVariances,
			BiasVariances: m.BiasVariances}
	}
	if e, ok := s.tf[s.group]; ok && s.group != "" {
		out.Extrinsic = &e
	}
	return out
}
