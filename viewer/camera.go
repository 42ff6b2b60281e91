package viewer

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"rsros/camdriver"
	"rsros/record"
	"rsros/replay/recorded"
	"rsros/viewer/clients"
	"rsros/viewer/wire"
)

// camera is the stage of a device: a camera, or a recording that plays as one. It is a
// consumer of the device's hub.
type camera struct {
	base
	Running
	file     *recorded.Device // Device, if it is a recording
	controls                  // of file
	own      bool             // the stage opened the device, and closes it
	detach   func()           // from the hub
	streams  map[camdriver.StreamID]*stream
	primary  camdriver.StreamID // the stream whose frames count sets: depth, or the first video stream
	first    uint64             // number of the primary stream's first frame in a file
	shown    atomic.Uint64      // number + 1 of the primary stream's last frame; 0 before one came
	layout   *layout            // for Foxglove's clients; nil if they see something else
	marks    markSearch
	starter  string // the viewer who started the recording
	close    sync.Once
	closed   error
}

// openCamera returns the stage of a device, and starts its streams.
func openCamera(s *Server, id, name, file string, device camdriver.Device) (*camera, error) {
	profiles, err := s.o.Choose(device.Sensors())
	if err != nil {
		return nil, err
	}
	r := Running{ID: id, Device: device, Profiles: profiles, Hub: new(camdriver.Hub), Records: new(record.Camera), Frozen: new(atomic.Bool)}
	now := recorded.ArrivalClock(device, camdriver.System{})
	r.Records.Serve(record.Source{Hub: r.Hub, Device: device, Profiles: profiles, Now: now}, s.o.Recording, s.o.RecordDir, s.o.Log)
	g := newCamera(s, name, file, r)
	g.own = true
	if err := camdriver.StartSensors(device, profiles, r.Hub); err != nil {
		return nil, errors.Join(err, g.end())
	}
	g.waits = g.file != nil // opened paused, so that it begins with all streams
	return g, nil
}

// newCamera returns the stage of a device that is running or about to start.
func newCamera(s *Server, name, file string, r Running) *camera {
	r.RecordDir = cmp.Or(r.RecordDir, s.o.RecordDir)
	g := &camera{base: base{server: s}, Running: r, streams: make(map[camdriver.StreamID]*stream)}
	g.file, _ = r.Device.(*recorded.Device)
	g.controls = controls{ctx: s.ctx, player: g.file}
	snap := camdriver.Snapshot(r.Device, r.Profiles)
	g.describe(snap, name, file)
	if s.topicsShown {
		g.layout = newLayout(g, snap)
	}
	if g.file == nil {
		g.source.Device = r.ID
	}
	if g.file != nil {
		g.findFirst()
	}
	g.detach = r.Hub.Attach(g)
	return g
}

// end implements stage. If the stage has opened the device, it also closes the device and its recording.
func (g *camera) end() error {
	g.close.Do(func() {
		g.detach()
		g.marks.end()
		if g.own {
			g.closed = errors.Join(g.Records.Close(), g.Device.Close())
		}
	})
	return g.closed
}

// busy implements stage: a recording of a device that the stage has opened ends with the stage.
func (g *camera) busy() error {
	if r := g.recording(); g.own && r.On {
		return fmt.Errorf("%s is being recorded, as the viewer at %s wanted: stop the recording first", r.File, g.starter)
	}
	return nil
}

// describe sets the page's description of the device.
func (g *camera) describe(snap camdriver.DeviceSnapshot, name, file string) {
	g.source = wire.Source{Kind: "camera", Name: name, Info: [][2]string{}, Sensors: []wire.Sensor{}, Streams: []wire.Stream{}, Marks: []wire.Mark{}}
	if g.file != nil {
		start, end := wire.Nanos(0), wire.Nanos(g.file.Duration())
		g.source.Kind, g.source.File, g.source.Start, g.source.End = "file", file, &start, &end
	}
	for _, i := range snap.Info {
		g.source.Info = append(g.source.Info, [2]string{i.Key.String(), i.Value})
	}
	for i := range snap.Streams {
		s := &snap.Streams[i]
		g.streams[s.Profile.Stream] = g.newStream(uint16(i+1), s.Profile.Stream)
		g.considerPrimary(s.Profile.Stream)
	}
	for i := range snap.Streams {
		g.source.Streams = append(g.source.Streams, g.streamOf(&snap, &snap.Streams[i]))
	}
	if g.file != nil {
		g.source.FrameSets = int(g.file.File().Frames(g.primary))
	}
}

func (g *camera) newStream(id uint16, name camdriver.StreamID) *stream {
	queue := frames(1)
	if name.Kind.Inertial() {
		queue = clients.Options{Class: clients.ClassSmall, Bytes: sampleBytes}
	}
	s := &stream{stage: g, id: id, queue: queue}
	s.lost = func() uint64 {
		_, lost := g.Hub.Counts(name)
		return lost
	}
	if g.file != nil {
		s.lost = s.gaps.Load
	}
	return s
}

func (g *camera) stream(id uint16) *stream {
	for _, s := range g.streams {
		if s.id == id {
			return s
		}
	}
	return nil
}

// considerPrimary makes a stream the primary one if it is better than the current one.
func (g *camera) considerPrimary(id camdriver.StreamID) {
	if id.Kind.Video() && (g.primary.Kind == camdriver.AnyStream || id.Kind == camdriver.Depth && g.primary.Kind != camdriver.Depth) {
		g.primary = id
	}
}

func (g *camera) streamOf(snap *camdriver.DeviceSnapshot, s *camdriver.StreamSnapshot) wire.Stream {
	p := s.Profile
	out := wire.Stream{
		ID: g.streams[p.Stream].id, Kind: kindOf(p.Stream.Kind), Name: p.Stream.String(), Sensor: s.Sensor, Format: p.Format.String(),
		Width: p.Width, Height: p.Height, FPS: p.FPS,
	}
	if v := s.Video; v != nil {
		out.Intrinsics = &wire.Intrinsics{
			Width: v.Width, Height: v.Height, Fx: wire.Float64(v.Fx), Fy: wire.Float64(v.Fy), Ppx: wire.Float64(v.Ppx), Ppy: wire.Float64(v.Ppy),
			Model: v.Model.String(), Coeffs: v.Coeffs[:],
		}
	}
	if p.Stream.Kind == camdriver.Depth {
		out.DepthUnits = wire.Float32(depthUnits(snap.Sensors[s.Sensor].Options))
	}
	for other, to := range g.streams {
		if e, err := g.Device.Extrinsics(p.Stream, other); err == nil && other != p.Stream {
			if out.Extrinsics == nil {
				out.Extrinsics = make(map[string]wire.Extrinsics)
			}
			columns := camdriver.Transpose(e.Rotation)
			out.Extrinsics[strconv.Itoa(int(to.id))] = wire.Extrinsics{Rotation: columns[:], Translation: e.Translation[:]}
		}
	}
	return out
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

// described implements stage: it returns the source with current values of options.
func (g *camera) described() *wire.Source {
	out := g.base.described()
	out.Sensors = make([]wire.Sensor, 0, len(g.Profiles))
	for i, s := range g.Device.Sensors() {
		out.Sensors = append(out.Sensors, wire.Sensor{ID: i, Name: s.Name(), Options: g.options(s)})
	}
	return out
}

// options returns the options of a sensor. Those of a recording are read-only.
func (g *camera) options(s camdriver.Sensor) []wire.Option {
	list := []wire.Option{}
	for _, o := range s.Options() {
		list = append(list, wire.Option{
			ID: o.ID.String(), Name: o.ID.String(), Description: o.Description, ReadOnly: o.ReadOnly || g.file != nil, Labels: labels(o),
			Value: wire.Float32(o.Value), Min: wire.Float32(o.Min), Max: wire.Float32(o.Max), Step: wire.Float32(o.Step), Default: wire.Float32(o.Default),
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

func (g *camera) state() *wire.State {
	if g.file == nil {
		return &wire.State{Playing: !g.Frozen.Load(), Rate: 1}
	}
	out := g.controls.state()
	if n := g.shown.Load(); n > g.first {
		set := int(n - 1 - g.first)
		out.Set = &set
	}
	return out
}

// Frame implements camdriver.Handler.
func (g *camera) Frame(sensor int, f *camdriver.Frame) {
	if f.Stream() == g.primary {
		g.shown.Store(f.Number + 1)
	}
	if g.Frozen.Load() {
		return
	}
	stamp, at := wire.NanosOf(time.Now()), wire.NanosOf(f.Arrival)
	if g.file != nil {
		at = wire.Nanos(g.file.FileTime(f))
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
		g.marks.begin(g)
	}
	if f.Stream().Kind.Inertial() {
		s.sample(f, stamp, at)
		return
	}
	if f.Stream().Kind != camdriver.Pose && (f.Stride <= 0 || f.Height <= 0 || len(f.Data) < f.Stride*f.Height) {
		return // a recording may have such frames
	}
	s.offer(newFrame(&g.server.memory, f, stamp, at))
}

// OptionChanged implements camdriver.Handler.
func (g *camera) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	g.layout.option(sensor, id, value)
	g.server.notify(g, "option", wire.OptionChanged{Sensor: sensor, ID: id.String(), Value: wire.Float32(value)})
}

// Notification implements camdriver.Handler.
func (g *camera) Notification(_ int, n camdriver.Notification) {
	g.server.notify(g, "notification", wire.Notification{
		Time: wire.NanosOf(n.Time), Severity: n.Severity.String(), Category: n.Category.String(), Text: n.Description, Data: n.Data,
	})
}

// StatusChanged implements camdriver.Handler.
func (g *camera) StatusChanged(s camdriver.Status) {
	g.server.sendState(g)
	if s.Err != nil {
		g.server.notify(g, "notification", wire.Notification{Time: wire.NanosOf(time.Now()), Severity: camdriver.SeverityError.String(), Category: s.Kind.String(), Text: s.Err.Error()})
	}
}
