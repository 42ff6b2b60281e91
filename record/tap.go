package record

import (
	"iter"
	"slices"
	"time"

	"rsros/camdriver"
	"rsros/ros"
)

// Source is a device that a Camera records.
type Source struct {
	Hub      *camdriver.Hub
	Device   camdriver.Device
	Profiles [][]camdriver.Profile // running streams, by sensor
	Now      func() time.Time      // on the clock of Frame.Arrival; if it returns zero, events get the latest frame's
	Number   int                   // of several devices in one recording; 0 if it has its own
	Name     string                // of several
	Node     *ros.Node             // subscribes to the topics of the options; nil without any
}

// device is a device as it was when its recording began, with the current options.
type device struct {
	number int
	snap   camdriver.DeviceSnapshot
}

// tap is a recording's consumer of one device's frames and events.
type tap struct {
	camdriver.NopHandler
	Source
	recording *Recording
	detach    func()
	flows     camdriver.PerStream[flow]
}

// attach makes the frames of devices part of the recording. It returns their descriptions.
func (r *Recording) attach(sources []Source) (list []device) {
	for _, s := range sources {
		r.taps = append(r.taps, &tap{Source: s, recording: r})
	}
	for _, t := range r.taps {
		for p := range t.profiles() {
			f := t.flows.Of(p.Stream)
			f.gaps = func() uint64 { _, gaps := t.Hub.Counts(p.Stream); return gaps }
			f.stopped = true // what was lost before isn't counted
			f.run(true)
		}
		t.detach = t.Hub.Attach(t)
		list = append(list, t.describe()) // afterwards, so that no change is missed
	}
	return list
}

// profiles returns those of the device's running streams.
func (s Source) profiles() iter.Seq[camdriver.Profile] {
	return slices.Values(slices.Concat(s.Profiles...))
}

// describe returns a device as it is.
func (s Source) describe() device {
	snap := camdriver.Snapshot(s.Device, s.Profiles)
	for i := range snap.Sensors {
		snap.Sensors[i].Options = slices.Clone(snap.Sensors[i].Options)
	}
	return device{s.Number, snap}
}

// rows describes the device's streams. name says whether their names have the device's.
func (t *tap) rows(named bool) (rows []Row) {
	for p := range t.profiles() {
		f := t.flows.Of(p.Stream)
		row := Row{Name: p.Stream.String(), Type: p.Format.String(), Publishers: -1, Queue: t.recording.queue.Held(f)}
		if named {
			row.Name = t.Name + "/" + row.Name
		}
		rows = append(rows, f.read(row))
	}
	return rows
}

func (t *tap) Frame(sensor int, f *camdriver.Frame) {
	r, flow := t.recording, t.flows.Of(f.Stream())
	paused := r.paused.Load()
	if !paused {
		flow.add(len(f.Data))
	}
	it := item{flow: flow, device: t.Number, sensor: sensor, frame: f.Retain(), paused: paused, part: r.part.Load()}
	r.queue.Push(flow, it, int64(len(f.Data))+eventSize)
}

func (t *tap) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	at := t.Now()
	t.recording.event(func(s *series) error { return s.option(t.Number, sensor, id, value, at) })
}

func (t *tap) Notification(sensor int, n camdriver.Notification) {
	at := t.Now()
	t.recording.event(func(s *series) error { return s.cur.device.devices[t.Number].Notification(sensor, n, at) })
}
