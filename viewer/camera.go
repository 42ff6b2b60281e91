package viewer

import (
	"strconv"
	"sync/atomic"
	"time"

	"rsros/camdriver"
	"rsros/replay/recorded"
	"rsros/viewer/api"
	"rsros/viewer/clients"
)

// camera is one device of a stage. It is a consumer of the device's hub.
type camera struct {
	Running
	stage   *cameras
	name    string           // "" if it is the only one
	sensors int              // number of its first sensor; the sensors of a stage are counted over all cameras
	file    *recorded.Device // Device, if it is a recording
	detach  func()           // from the hub
	streams map[camdriver.StreamID]*stream
	primary camdriver.StreamID // the stream whose frames count sets: depth, or the first video stream
	first   uint64             // number of the primary stream's first frame in a file
	last    atomic.Uint64      // number + 1 of the primary stream's last frame; 0 before one came
	layout  *layout            // for Foxglove's clients; nil if they see something else
}

// describe adds the camera to the description of the stage, after the cameras before it.
func (g *camera) describe(number int) {
	snap, source := camdriver.Snapshot(g.Device, g.Profiles), &g.stage.source
	g.sensors = g.stage.sensorCount()
	for _, i := range snap.Info {
		key := i.Key.String()
		if g.name != "" {
			key = g.name + ": " + key
		}
		source.Info = append(source.Info, [2]string{key, i.Value})
	}
	before := len(source.Streams)
	for i := range snap.Streams {
		s := &snap.Streams[i]
		g.streams[s.Profile.Stream] = g.newStream(uint16(before+i+1), s.Profile.Stream)
		g.considerPrimary(s.Profile.Stream)
	}
	for i := range snap.Streams {
		source.Streams = append(source.Streams, g.streamOf(&snap, &snap.Streams[i]))
	}
	if g.stage.server.topicsShown {
		g.layout = newLayout(g.stage, snap, number)
	}
	if g.file != nil {
		g.findFirst()
	}
}

func (g *camera) newStream(id uint16, name camdriver.StreamID) *stream {
	queue := frames(1)
	if name.Kind.Inertial() {
		queue = clients.Options{Class: clients.ClassSmall, Bytes: sampleBytes}
	}
	s := &stream{stage: g.stage, id: id, queue: queue}
	s.lost = func() uint64 {
		_, lost := g.Hub.Counts(name)
		return lost
	}
	if g.file != nil {
		s.lost = s.gaps.Load
	}
	return s
}

// considerPrimary makes a stream the primary one if it is better than the current one.
func (g *camera) considerPrimary(id camdriver.StreamID) {
	firstDepth := id.Kind == camdriver.Depth && g.primary.Kind != camdriver.Depth
	if id.Kind.Video() && (g.primary.Kind == camdriver.AnyStream || firstDepth) {
		g.primary = id
	}
}

func (g *camera) streamOf(snap *camdriver.DeviceSnapshot, s *camdriver.StreamSnapshot) api.Stream {
	p := s.Profile
	out := api.Stream{
		ID: g.streams[p.Stream].id, Camera: g.name, Kind: kindOf(p.Stream.Kind), Name: p.Stream.String(),
		Sensor: g.sensors + s.Sensor, Format: p.Format.String(),
		Width: p.Width, Height: p.Height, FPS: p.FPS,
	}
	if v := s.Video; v != nil {
		out.Intrinsics = &api.Intrinsics{
			Width: v.Width, Height: v.Height, Fx: api.Float64(v.Fx), Fy: api.Float64(v.Fy),
			Ppx: api.Float64(v.Ppx), Ppy: api.Float64(v.Ppy),
			Model: v.Model.String(), Coeffs: v.Coeffs[:],
		}
	}
	if p.Stream.Kind == camdriver.Depth {
		out.DepthUnits = api.Float32(depthUnits(snap.Sensors[s.Sensor].Options))
	}
	for other, to := range g.streams {
		if e, err := g.Device.Extrinsics(p.Stream, other); err == nil && other != p.Stream {
			if out.Extrinsics == nil {
				out.Extrinsics = make(map[string]api.Extrinsics)
			}
			out.Extrinsics[strconv.Itoa(int(to.id))] = extrinsicsOf(e)
		}
	}
	return out
}

func extrinsicsOf(e camdriver.Extrinsics) api.Extrinsics {
	columns := camdriver.Transpose(e.Rotation)
	return api.Extrinsics{Rotation: columns[:], Translation: e.Translation[:]}
}

func kindOf(k camdriver.StreamKind) string {
	switch {
	case k.Inertial():
		return "motion"
	case k == camdriver.Pose:
		return "pose"
	}
	return "video"
}

// usualDepthUnits are the depth units of cameras without the option: a millimetre.
const usualDepthUnits = 0.001

func depthUnits(options []camdriver.Option) float32 {
	if o, ok := camdriver.FindOption(options, camdriver.OptionDepthUnits); ok && o.Value > 0 {
		return o.Value
	}
	return usualDepthUnits
}

// findFirst sets the number of the first frame set.
func (g *camera) findFirst() {
	if e, err := g.file.File().First(g.primary); err == nil {
		g.first = e.Frame.Number
		e.Frame.Release()
	}
}

// options returns the options of a sensor. Those of a recording are read-only.
func (g *camera) options(s camdriver.Sensor) []api.Option {
	list := []api.Option{}
	for _, o := range s.Options() {
		list = append(list, api.Option{
			ID: o.ID.String(), Name: o.ID.String(), Description: o.Description, ReadOnly: o.ReadOnly || g.file != nil,
			Labels: labels(o), Value: api.Float32(o.Value), Min: api.Float32(o.Min), Max: api.Float32(o.Max),
			Step: api.Float32(o.Step), Default: api.Float32(o.Default),
		})
	}
	return list
}

// labels returns the names of a choice's values that the device has; those of a recording aren't bounded.
func labels(o camdriver.Option) (list map[string]string) {
	for value, name := range o.ID.Choices() {
		if v := float32(value); o.Min == o.Max || v >= o.Min && v <= o.Max {
			if list == nil {
				list = make(map[string]string)
			}
			list[strconv.Itoa(value)] = name
		}
	}
	return list
}

// Frame implements camdriver.Handler.
func (g *camera) Frame(sensor int, f *camdriver.Frame) {
	if f.Stream() == g.primary {
		g.last.Store(f.Number + 1)
	}
	if g.Frozen.Load() {
		return
	}
	stamp, at := api.NanosOf(time.Now()), api.NanosOf(f.Arrival)
	if g.file != nil {
		at = api.Nanos(g.file.FileTime(f))
	}
	g.layout.frame(sensor, f, at)
	s := g.streams[f.Stream()]
	if s != nil && g.file != nil {
		s.countGap(f.Number, g.file.Status().Jumps)
	}
	if s == nil || !s.watched() {
		return
	}
	if g.file != nil {
		g.stage.marks.begin(g.stage)
	}
	if f.Stream().Kind.Inertial() {
		s.sample(f, stamp, at)
		return
	}
	if f.Stream().Kind != camdriver.Pose && (f.Stride <= 0 || f.Height <= 0 || len(f.Data) < f.Stride*f.Height) {
		return // a recording may have such frames
	}
	s.offer(newFrame(&g.stage.server.memory, f, stamp, at))
}

// OptionChanged implements camdriver.Handler.
func (g *camera) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	g.layout.option(sensor, id, value)
	g.stage.notify("option", api.OptionChanged{Sensor: g.sensors + sensor, ID: id.String(), Value: api.Float32(value)})
}

// Notification implements camdriver.Handler.
func (g *camera) Notification(_ int, n camdriver.Notification) {
	g.stage.notify("notification", api.Notification{
		Time: api.NanosOf(n.Time), Severity: n.Severity.String(), Category: n.Category.String(), Text: n.Description,
		Data: n.Data,
	})
}

// StatusChanged implements camdriver.Handler.
func (g *camera) StatusChanged(s camdriver.Status) {
	g.stage.server.sendState(g.stage)
	if s.Err != nil {
		g.stage.notify("notification", failure(s.Kind.String(), s.Err))
	}
}
