package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
)

// recordingExport exports a RealSense recording: images or a table, and a table of metadata, for
// each stream.
type recordingExport struct {
	*folder
	file    *rsbag.File
	prefix  string // of the names of its streams, if there are several cameras
	snap    camdriver.DeviceSnapshot
	clouds  *clouds                 // nil unless asked for
	meta    map[string]*metaColumns // by stream
	aligned *aligned                // nil unless asked for
}

func (f *folder) exportCamera(file *rsbag.File, prefix string) error {
	r := &recordingExport{
		folder: f, file: file, prefix: prefix, snap: file.Snapshot(), meta: make(map[string]*metaColumns),
	}
	if f.o.Points {
		r.clouds = newClouds(r)
	}
	chosen := r.describe()
	if f.o.Aligned {
		r.aligned = newAligned(r, chosen)
		defer r.aligned.close()
	}
	if err := r.frames(file, chosen, r.frame); err != nil {
		return err
	}
	return cmp.Or(r.clouds.finish(), r.aligned.finish())
}

// describe fills in the manifest's head, and returns the streams that the filter takes.
func (r *recordingExport) describe() map[camdriver.StreamID]bool {
	if r.manifest.device == nil { // of several, the first
		r.manifest.device, r.manifest.ref = make(map[string]string), r.snap.Reference.String()
		for _, i := range r.snap.Info {
			r.manifest.device[i.Key.String()] = i.Value
		}
	}
	chosen := make(map[camdriver.StreamID]bool)
	for i, s := range r.file.Streams() {
		id := s.Profile.Stream
		if !isSelected(r.file, s, r.filter) {
			continue
		}
		name := r.prefix + id.String()
		if k := id.Kind; !k.Video() && !k.Inertial() && k != camdriver.Pose && k != camdriver.Occupancy {
			r.unknown = append(r.unknown,
				fmt.Sprintf("stream %s of %d frames, of a kind that export doesn't know", name, s.Frames))
			continue
		}
		chosen[id] = true
		r.walk.Total += s.Frames
		m := &manifestStream{Name: name, Place: r.place(name), Profile: s.Profile.String(), Frames: s.Frames}
		if i < len(r.snap.Streams) {
			describeCalibration(m, r.snap.Streams[i])
		}
		r.manifest.streams = append(r.manifest.streams, m)
	}
	return chosen
}

// isSelected reports whether the filter takes a stream, or a topic of it.
func isSelected(file *rsbag.File, s rsbag.StreamSummary, filter bagstore.Filter) bool {
	part, keeps := fmt.Sprintf("/sensor_%d/%v/", s.Sensor, s.Profile.Stream), filter.Query().Connections
	return slices.ContainsFunc(file.Bag().Connections(), func(c *bagstore.Connection) bool {
		return file.Owns(c.Topic) && strings.Contains(c.Topic, part) && keeps(c)
	})
}

func describeCalibration(m *manifestStream, s camdriver.StreamSnapshot) {
	if s.Video != nil {
		m.Intrinsics = map[string]any{
			"width": s.Video.Width, "height": s.Video.Height, "fx": s.Video.Fx, "fy": s.Video.Fy,
			"ppx": s.Video.Ppx, "ppy": s.Video.Ppy, "model": s.Video.Model.String(), "coeffs": s.Video.Coeffs,
		}
	}
	if s.Extrinsic != nil {
		m.Extrinsics = map[string]any{"rotation": s.Extrinsic.Rotation, "translation": s.Extrinsic.Translation}
	}
	if s.Motion != nil {
		m.Motion = map[string]any{"data": s.Motion.Data, "noise_variances": s.Motion.NoiseVariances,
			"bias_variances": s.Motion.BiasVariances}
	}
}

func (r *recordingExport) frame(e rsbag.Event) error {
	f := e.Frame
	name := r.prefix + f.Stream().String()
	entry := manifestFile{facts: frameFacts(name, f, int64(e.Time))}
	if err := r.metadata(entry, f); err != nil {
		return err
	}
	kind := f.Stream().Kind
	if !kind.Video() && kind != camdriver.Occupancy {
		return r.sample(entry, f)
	}
	p := FrameImage(f)
	if err := p.Check(); err != nil {
		r.oddMessage(name, bagstore.Time(e.Time), err)
		return nil
	}
	entry.File, entry.Units = r.nextFile(r.place(name), r.file.Frames(f.Stream()), p.Ext()), float64(f.DepthUnits)
	entry.describe(p, rslayout.Encoding(f.Profile.Format))
	if kind == camdriver.Occupancy {
		entry.Map = mapPlace(f.Map)
	}
	f.Retain()
	if err := r.write(entry, f.Release, p.Encode); err != nil {
		return err
	}
	return cmp.Or(r.aligned.frame(f), r.clouds.frame(entry, f))
}

// lens returns the first stream of a kind that has intrinsics; nil if there is none.
func (r *recordingExport) lens(kind camdriver.StreamKind) *camdriver.StreamSnapshot {
	for i := range r.snap.Streams {
		if s := &r.snap.Streams[i]; s.Video != nil && s.Profile.Stream.Kind == kind {
			return s
		}
	}
	return nil
}

func mapPlace(m camdriver.MapInfo) any {
	return struct {
		Resolution  float32    `json:"resolution_m"`
		Origin      [3]float64 `json:"origin_m"`
		Orientation [4]float64 `json:"orientation_xyzw"`
	}{m.Resolution, m.Origin, m.Rotation}
}

// frameRow writes a row with the columns of every frame, then more.
func (r *recordingExport) frameRow(name string, columns []string, e manifestFile, values ...any) error {
	return r.row(name, append([]string{"time_ns", "number", "timestamp_ms", "domain"}, columns...),
		append([]any{e.Time, e.Number, e.Stamp, e.Domain}, values...)...)
}

type metaColumns struct {
	last   camdriver.MetadataKey
	warned bool // that a frame has later keys
}

// metadata writes a row with a column for each key of version 2.56 of the SDK, because a camera may
// send other keys later; or for all keys, if the first frame has a later one.
func (r *recordingExport) metadata(e manifestFile, f *camdriver.Frame) error {
	if len(f.Metadata) == 0 {
		return nil
	}
	var columns []string
	var values []any
	latest := f.Metadata[len(f.Metadata)-1].Key
	m := r.meta[e.Stream]
	if m == nil {
		m = &metaColumns{last: camdriver.MetaCrc}
		if latest > m.last {
			m.last = camdriver.MetaEmbeddedFilters
		}
		r.meta[e.Stream] = m
	}
	if latest > m.last && !m.warned {
		m.warned = true
		r.bad++
		r.o.Log.Warn().Str("stream", e.Stream).Str("metadata", latest.String()).
			Msg("the first frame has no such metadata; it is left out")
	}
	for k := camdriver.MetaFrameCounter; k <= m.last; k++ {
		columns = append(columns, k.String())
		if v, ok := f.Meta(k); ok {
			values = append(values, v)
		} else {
			values = append(values, nil)
		}
	}
	return r.frameRow(r.place(e.Stream)+".metadata.csv", columns, e, values...)
}

func (r *recordingExport) sample(e manifestFile, f *camdriver.Frame) error {
	name := r.place(e.Stream) + ".csv"
	m, p := f.Motion, f.Pose
	switch f.Stream().Kind {
	case camdriver.Gyro:
		return r.frameRow(name, []string{"x_rad_s", "y_rad_s", "z_rad_s"}, e, m.Gyro[0], m.Gyro[1], m.Gyro[2])
	case camdriver.Accel:
		return r.frameRow(name, []string{"x_m_s2", "y_m_s2", "z_m_s2"}, e, m.Accel[0], m.Accel[1], m.Accel[2])
	case camdriver.Motion:
		return r.frameRow(name, imuColumns(), e, imuValues(m.Orientation, m.Gyro, m.Accel)...)
	}
	columns := strings.Fields(`x_m y_m z_m qx qy qz qw vx_m_s vy_m_s vz_m_s ax_m_s2 ay_m_s2 az_m_s2
		wx_rad_s wy_rad_s wz_rad_s wax_rad_s2 way_rad_s2 waz_rad_s2 tracker_confidence mapper_confidence`)
	var values []any
	for _, v := range slices.Concat(p.Translation[:], p.Rotation[:], p.Velocity[:], p.Acceleration[:],
		p.AngularVelocity[:], p.AngularAcceleration[:]) {
		values = append(values, v)
	}
	return r.frameRow(name, columns, e, append(values, p.TrackerConfidence, p.MapperConfidence)...)
}

func imuColumns() []string {
	return []string{"qx", "qy", "qz", "qw", "wx_rad_s", "wy_rad_s", "wz_rad_s", "ax_m_s2", "ay_m_s2", "az_m_s2"}
}

func imuValues(q [4]float64, w, a [3]float64) []any {
	return []any{q[0], q[1], q[2], q[3], w[0], w[1], w[2], a[0], a[1], a[2]}
}
