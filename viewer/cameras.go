package viewer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/record"
	"rsros/replay/recorded"
	"rsros/viewer/api"
)

// cameras is the stage of one or more devices: cameras, or those of a recording, which one player plays.
type cameras struct {
	base
	controls                  // of file
	file     *recorded.Device // the first one, if they are recorded
	parts    []*camera
	lead     *camera // whose frame sets are counted
	own      bool    // the stage opened the devices, and closes them
	topics   *topics // for Foxglove's clients; nil if they see something else
	marks    markSearch
	starter  string       // the viewer who started the recording
	close    func() error // once
}

// openCameras returns the stage of a device, with the other cameras of its recording, and starts their streams.
func openCameras(s *Server, id, name, file string, device camdriver.Device) (*cameras, error) {
	devices, names := []camdriver.Device{device}, []string{id}
	if d, ok := device.(*recorded.Device); ok {
		devices, names = nil, nil
		for _, c := range d.Cameras() {
			devices, names = append(devices, c), append(names, c.File().Camera().Name)
		}
	}
	var list []Running
	records := new(record.Camera)
	for i, d := range devices {
		profiles, err := s.o.Choose(d.Sensors())
		if err != nil {
			return nil, err
		}
		r := Running{ID: names[i], Device: d, Profiles: profiles, Hub: new(camdriver.Hub)}
		r.Records, r.Frozen = records, new(atomic.Bool)
		now := recorded.ArrivalClock(d, camdriver.System{})
		source := record.Source{Number: i, Hub: r.Hub, Device: d, Profiles: profiles, Now: now}
		if len(devices) > 1 {
			source.Name = r.ID
		}
		records.Join(source, s.o.Recording, s.o.RecordDir, s.o.Log)
		list = append(list, r)
	}
	g := newCameras(s, name, file, list)
	g.own = true
	for _, r := range list {
		if err := camdriver.StartSensors(r.Device, r.Profiles, r.Hub); err != nil {
			return nil, errors.Join(err, g.end())
		}
	}
	g.waits = g.file != nil // opened paused, so that it begins with all streams
	return g, nil
}

// allDevices is the ID of all attached devices together.
const allDevices = "*"

// newCameras returns the stage of devices that are running or about to start.
func newCameras(s *Server, name, file string, list []Running) *cameras {
	g := &cameras{base: base{server: s}}
	g.close = sync.OnceValue(g.detach)
	g.source = api.Source{Kind: "camera", Name: name, Info: [][2]string{}, Streams: []api.Stream{}, Marks: []api.Mark{}}
	if g.file, _ = list[0].Device.(*recorded.Device); g.file != nil {
		start, end := api.Nanos(0), api.Nanos(g.file.Duration())
		g.source.Kind, g.source.File, g.source.Start, g.source.End = "file", file, &start, &end
	} else if g.source.Device = list[0].ID; len(list) > 1 {
		g.source.Device = allDevices
	}
	g.controls = controls{ctx: s.ctx, player: g.file}
	for i, r := range list {
		r.RecordDir = cmp.Or(r.RecordDir, s.o.RecordDir)
		c := &camera{Running: r, stage: g, streams: make(map[camdriver.StreamID]*stream)}
		if c.file, _ = r.Device.(*recorded.Device); len(list) > 1 {
			c.name = r.ID
		}
		c.describe(i)
		g.parts = append(g.parts, c)
		if g.lead == nil || g.lead.primary.Kind == camdriver.AnyStream {
			g.lead = c
		}
	}
	if g.file != nil {
		g.source.FrameSets = int(g.lead.file.File().Frames(g.lead.primary))
	}
	g.place()
	if s.topicsShown {
		g.topics = &topics{byName: make(map[string]*topic)}
		for _, c := range g.parts {
			g.topics.join(c.layout.topics)
		}
	}
	for _, c := range g.parts {
		c.detach = c.Hub.Attach(c)
	}
	return g
}

// place says where the depth cameras of a recording are, if tf relates them.
func (g *cameras) place() {
	var first *camera
	for _, c := range g.parts {
		s := c.streams[camdriver.DepthStream]
		if s == nil || c.file == nil || c.name == "" {
			continue
		}
		first = cmp.Or(first, c)
		if e, ok := c.file.File().Between(camdriver.DepthStream, first.file.File(), camdriver.DepthStream); ok {
			place := extrinsicsOf(e)
			g.source.Streams[s.id-1].Place = &place
		}
	}
}

func (g *cameras) end() error { return g.close() }

// detach does end's work. If the stage has opened the devices, it also closes them and their recording.
func (g *cameras) detach() error {
	for _, c := range g.parts {
		c.detach()
	}
	g.marks.end()
	if !g.own {
		return nil
	}
	return errors.Join(g.lead.Records.Close(), g.parts[0].Device.Close())
}

// busy implements stage: a recording of a device that the stage has opened ends with the stage.
func (g *cameras) busy() error {
	if r := g.recording(); g.own && r.On {
		return fmt.Errorf("%s is being recorded, as the viewer at %s wanted: stop the recording first", r.File, g.starter)
	}
	return nil
}

func (g *cameras) notify(op string, message any) { g.server.notify(g, op, message) }

// sensorCount returns the number of sensors of the cameras so far.
func (g *cameras) sensorCount() (n int) {
	for _, c := range g.parts {
		n += len(c.Device.Sensors())
	}
	return n
}

func (g *cameras) stream(id uint16) *stream {
	_, _, s := g.lookup(id)
	return s
}

// lookup returns the stream with a number, with its camera and its name there; nil if there is none.
func (g *cameras) lookup(id uint16) (*camera, camdriver.StreamID, *stream) {
	for _, c := range g.parts {
		for name, s := range c.streams {
			if s.id == id {
				return c, name, s
			}
		}
	}
	return nil, camdriver.StreamID{}, nil
}

func (g *cameras) topicList() *topics { return g.topics }

// described implements stage: it returns the source with current values of options.
func (g *cameras) described() *api.Source {
	out := g.base.described()
	out.Sensors = make([]api.Sensor, 0)
	for _, c := range g.parts {
		for i, s := range c.Device.Sensors() {
			sensor := api.Sensor{ID: c.sensors + i, Camera: c.name, Name: s.Name(), Options: c.options(s)}
			out.Sensors = append(out.Sensors, sensor)
		}
	}
	return out
}

func (g *cameras) state() *api.State {
	if g.file == nil {
		frozen := slices.ContainsFunc(g.parts, func(c *camera) bool { return c.Frozen.Load() })
		return &api.State{Playing: !frozen, Rate: 1}
	}
	out := g.controls.state()
	if n := g.lead.last.Load(); n > g.lead.first {
		set := int(n - 1 - g.lead.first)
		out.Set = &set
	}
	return out
}

func (g *cameras) canResend() bool { return g.file != nil && g.still() }

// begin implements stage.
func (g *cameras) begin() error {
	watched := slices.ContainsFunc(g.parts, func(c *camera) bool { return c.watches(true) })
	return g.beginIf(watched || g.topics != nil && len(g.topics.watched()) > 0)
}

// titleOf returns the title of cameras.
func titleOf(list []Running) string {
	var names []string
	for _, r := range list {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}
