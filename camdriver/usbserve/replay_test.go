package usbserve

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/d435i"
	"rsros/camdriver/usbip"
	"rsros/camdriver/usbreport"
	"rsros/test/usbvm/trace"
)

var virtual = d435i.Options{
	Serial: [6]byte{0x84, 0x39, 0x22, 0x07, 0x11, 0x05}, ASICSerial: [6]byte{0x84, 0x79, 0x13, 0x07, 0x08, 0x22}, Firmware: [4]uint8{5, 17, 0, 10},
}

// payloads is the number of each kind in the tests' reports.
const payloads = 3

// recordedFile is the report of the virtual camera, made once.
var recordedFile []byte

// recorded returns a report of the virtual camera.
func recorded(t *testing.T) *usbreport.Report {
	t.Helper()
	if recordedFile == nil {
		_, address := servePorts(t, usbip.Virtual("1-1", virtual, func() {}))
		var b bytes.Buffer
		if err := usbreport.Write(&b, report(t, address)); err != nil {
			t.Fatal(err)
		}
		recordedFile = b.Bytes()
	}
	r, err := usbreport.Read(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// report makes a report of the only camera of a server, writes it as a file, and reads that.
func report(t *testing.T, address string) *usbreport.Report {
	t.Helper()
	bus, err := dial(address)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d400.Report(t.Context(), d400.ReportOptions{Bus: bus, Payloads: payloads, Log: zerolog.New(zerolog.NewTestWriter(t))})
	if err != nil {
		t.Fatal(err)
	}
	var b, again bytes.Buffer
	if err := usbreport.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	got, err := usbreport.Read(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := usbreport.Write(&again, got); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Fatalf("the report that was read makes another file: %d bytes, %d bytes, %v", b.Len(), again.Len(), err)
	}
	return got
}

// relative removes what depends on time: arrivals, and the start of the device's clock.
func relative(r *usbreport.Report) *usbreport.Report {
	for i, c := range r.Commands {
		if c.Op == opReadRegister {
			r.Commands[i].Data = nil
		}
	}
	for _, s := range r.Streams {
		first := uint32(0)
		for i, p := range s.Payloads {
			us, _ := usbreport.HeaderTime(p.Header)
			if i == 0 {
				first = us
			}
			s.Payloads[i] = usbreport.Payload{Size: p.Size, Header: usbreport.Moved(p.Header, -first, 0)}
		}
	}
	for _, m := range r.Motion {
		first := reportTime(m.Reports[0].Data)
		for i := range m.Reports {
			b := m.Reports[i].Data
			binary.LittleEndian.PutUint32(b[2:], reportTime(b)-first)
			m.Reports[i].Time = 0
		}
	}
	return r
}

// TestReplay checks that a report of the virtual camera and one of the camera that replays it are
// equal.
func TestReplay(t *testing.T) {
	first := recorded(t)
	_, address := servePorts(t, ReplayPort("1-1", first))
	second := report(t, address)
	relative(first)
	relative(second)
	a, b := reflect.ValueOf(*first), reflect.ValueOf(*second)
	for i := range a.NumField() {
		name, x, y := a.Type().Field(i).Name, a.Field(i), b.Field(i)
		if x.Kind() != reflect.Slice {
			if !reflect.DeepEqual(x.Interface(), y.Interface()) {
				t.Errorf("%s:\n%+v, replayed\n%+v", name, x, y)
			}
			continue
		}
		if x.Len() != y.Len() || x.Len() == 0 {
			t.Errorf("%s: %d entries, replayed %d", name, x.Len(), y.Len())
			continue
		}
		for j := range x.Len() {
			if !reflect.DeepEqual(x.Index(j).Interface(), y.Index(j).Interface()) {
				t.Errorf("%s %d:\n%+v, replayed\n%+v", name, j, x.Index(j), y.Index(j))
			}
		}
	}
}

// TestReplayDrives checks that the driver opens a replayed camera, sets options, and streams more
// frames than were recorded, of other profiles, too.
func TestReplayDrives(t *testing.T) {
	const frames = 10
	_, address := servePorts(t, usbip.Virtual("1-1", virtual, func() {}))
	real := open(t, address)
	info, profiles := real.Info(), real.Sensors()[0].Profiles()
	depth, err := real.Sensors()[0].Intrinsics(profiles[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := real.Close(); err != nil {
		t.Fatal(err)
	}
	_, address = servePorts(t, ReplayPort("1-1", recorded(t)))
	dev := open(t, address)
	if !slices.Equal(dev.Info(), info) || !slices.Equal(dev.Sensors()[0].Profiles(), profiles) {
		t.Errorf("camera %v with %d profiles, want %v with %d", dev.Info(), len(dev.Sensors()[0].Profiles()), info, len(profiles))
	}
	if got, err := dev.Sensors()[0].Intrinsics(profiles[0]); err != nil || got != depth {
		t.Errorf("intrinsics %+v, want %+v, %v", got, depth, err)
	}
	for _, test := range []struct {
		sensor int
		option camdriver.OptionID
		value  float32
		ok     bool
	}{
		{0, camdriver.OptionLaserPower, 300, true},
		{0, camdriver.OptionExposure, 3000, true},
		{1, camdriver.OptionBrightness, -20, true},
		{1, camdriver.OptionSaturation, 10, true},
	} {
		s := dev.Sensors()[test.sensor]
		if err := s.SetOption(test.option, test.value); err != nil {
			t.Errorf("%s: %v", test.option, err)
		}
		if o, _ := camdriver.FindOption(s.Options(), test.option); o.Value != test.value {
			t.Errorf("%s is %g, want %g", test.option, o.Value, test.value)
		}
	}
	got := newKeeper(frames)
	for i, list := range [][]camdriver.Profile{
		{
			{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 640, Height: 480, FPS: 30},
			{Stream: camdriver.LeftStream, Format: camdriver.Y8, Width: 424, Height: 240, FPS: 90}, {Stream: camdriver.RightStream, Format: camdriver.Y8, Width: 424, Height: 240, FPS: 90},
		},
		{{Stream: camdriver.ColorStream, Format: camdriver.YUYV, Width: 640, Height: 480, FPS: 30}},
		{{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 200}, {Stream: camdriver.AccelStream, Format: camdriver.MotionXYZ32F, FPS: 250}},
	} {
		if err := dev.Sensors()[i].Start(list, got); err != nil {
			t.Fatal(err)
		}
	}
	<-got.done
	for _, s := range dev.Sensors() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
	got.mu.Lock()
	defer got.mu.Unlock()
	for id, list := range got.frames {
		for _, f := range list {
			if exposure, ok := f.Meta(camdriver.MetaActualExposure); id.Kind.Video() && (!ok || exposure == 0) {
				t.Errorf("%s: frame %d has no exposure", id, f.Number)
			}
			if width, ok := f.Meta(camdriver.MetaInputWidth); ok && int(width) != f.Profile.Width {
				t.Errorf("%s: metadata of a frame that is %d pixels wide", id, width)
			}
		}
	}
}

// TestReplayLibrealsense sends the replayed report of the virtual camera what librealsense sent to the
// camera itself to list it and to stream it, and compares the answers.
func TestReplayLibrealsense(t *testing.T) {
	files, err := filepath.Glob("../d435i/testdata/librealsense-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	o := virtual
	o.Firmware = [4]uint8{}
	_, address := servePorts(t, usbip.Virtual("1-1", o, func() {}))
	r := report(t, address)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { replayRequests(t, r, path) })
	}
}

func replayRequests(t *testing.T, r *usbreport.Report, path string) {
	list, err := trace.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	c := NewReplay(r)
	defer c.Unplug()
	asked := 0
	for _, e := range list {
		if e.Section != "list" && e.Section != "stream all" {
			continue
		}
		asked++
		if e.Endpoint != 0 {
			if _, err := c.Read(t.Context(), e.Endpoint); err != nil {
				t.Errorf("%s: %v", e.Request(), err)
			}
			continue
		}
		in, err := c.Control(e.Setup, e.Out)
		if !bytes.Equal(in, e.In) || (err != nil) != e.Stalled {
			t.Errorf("the camera answers %s", e)
			e.In, e.Stalled = in, err != nil
			t.Errorf("its report answers %s", e)
		}
	}
	if asked < 200 {
		t.Errorf("%d requests", asked)
	}
}

// TestReplayExposes checks that a stream's first frame is due one period after the host asks for it.
func TestReplayExposes(t *testing.T) {
	r := recorded(t)
	c := NewReplay(r)
	defer c.Unplug()
	p := r.Probes[0]
	want := make([]byte, 48)
	want[2], want[3] = p.Format, p.Frame
	binary.LittleEndian.PutUint32(want[4:], p.Interval)
	for _, selector := range []uint16{vsProbe, vsCommit} {
		if _, err := c.Control(d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: selector << 8, Index: uint16(p.Interface), Length: 48}, want); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Control(d435i.Setup{RequestType: 2, Request: 1, Index: uint16(p.Endpoint)}, nil); err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	due, _ := c.next(p.Endpoint)
	if period := time.Duration(p.Interval) * 100; due.Before(before.Add(period)) {
		t.Errorf("the first frame is due after %v, want %v", due.Sub(before), period)
	}
}

// TestReplayRefuses checks what fails because the report lacks it.
func TestReplayRefuses(t *testing.T) {
	c := NewReplay(recorded(t))
	defer c.Unplug()
	for name, test := range map[string]struct {
		s   d435i.Setup
		out []byte
	}{
		"unknown control":        {d435i.Setup{RequestType: classIn, Request: uvcGetCur, Value: 0x4200, Index: 0x300, Length: 4}, nil},
		"laser beyond its range": {d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: 0x400, Index: 0x300, Length: 2}, []byte{0xff, 0x7f}},
		"laser of one byte":      {d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: 0x400, Index: 0x300, Length: 1}, []byte{1}},
		"brightness of -65":      {d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: 0x200, Index: 0x703, Length: 2}, []byte{0xbf, 0xff}},
		"probe of nothing":       {d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: 0x100, Index: 1, Length: 48}, make([]byte, 48)},
		"rate of the gyro":       {d435i.Setup{RequestType: classOut, Request: hidSetReport, Value: 0x302, Index: 5, Length: 9}, []byte{2, 0, 0, 2, 0, 7, 0, 0, 0}},
		"command without magic":  {d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: 0x100, Index: 0x300, Length: 1024}, make([]byte, 1024)},
	} {
		if _, err := c.Control(test.s, test.out); err != d435i.ErrStall {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(c.Violations()); n != 7 {
		t.Errorf("%d refusals are remembered: %q", n, c.Violations())
	}
	if _, err := c.Read(t.Context(), 0x82); err != d435i.ErrStall {
		t.Errorf("endpoint without a stream: %v", err)
	}
	command := make([]byte, monitorSize)
	copy(command, []byte{20, 0, 0xab, 0xcd, 0x61})
	set := d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: 0x100, Index: 0x300, Length: monitorSize}
	if _, err := c.Control(set, command); err != nil {
		t.Fatal(err)
	}
	set.RequestType, set.Request = classIn, uvcGetCur
	if b, err := c.Control(set, nil); err != nil || int32(binary.LittleEndian.Uint32(b)) != badCommand {
		t.Errorf("command to restore defaults: % x, %v", b[:min(len(b), 4)], err)
	}
}

// FuzzReplay replays reports with hostile content.
func FuzzReplay(f *testing.F) {
	const guid = `"guid": "5a313620000010008000 00aa00389b71"`
	profile := strings.ReplaceAll(`"interface": 1, "endpoint": 130, "format": 1, "frame": 1, `+guid+`, "width": 4, "height": 2, "interval": 333333`, " 00aa", "00aa")
	answer := strings.Repeat("00", 18) + "10000000" + strings.Repeat("00", 26)
	header := "0c8e" + strings.Repeat("00", 10)
	f.Add(
		[]byte(`[{"type": 161, "request": 129, "value": 512, "index": 768, "length": 1, "answer": "01"}, {"type": 161, "request": 130, "value": 512, "index": 768, "answer": "00"},
{"type": 161, "request": 131, "value": 512, "index": 768, "answer": "02"}, {"type": 161, "request": 1, "value": 769, "index": 5, "answer": "010000060000000000"}]`),
		[]byte(`[{"op": 1, "params": [90428, 90432, 0, 0], "bytes": 0}, {"op": 16, "code": -6}]`),
		[]byte(`[{`+profile+`, "answer": "`+answer+`"}]`),
		[]byte(`[{`+profile+`, "payloads": [{"us": 0, "size": 28, "header": "`+header+`"}], "interrupts": [{"us": 5, "data": "0103"}]}]`),
		[]byte(`[{"report": 1, "interval": 1000, "rate": 63, "reports": [{"us": 0, "data": "01000000000000000000"}]}]`),
		d435i.New(d435i.Options{}).DeviceDescriptor(), d435i.New(d435i.Options{}).Configuration(),
	)
	f.Fuzz(func(t *testing.T, requests, commands, probes, streams, motion, device, configuration []byte) {
		r := &usbreport.Report{Head: usbreport.Head{Status: 0x87, HID: 0x86}}
		for _, part := range []struct {
			b  []byte
			to any
		}{{requests, &r.Requests}, {commands, &r.Commands}, {probes, &r.Probes}, {streams, &r.Streams}, {motion, &r.Motion}} {
			if json.Unmarshal(part.b, part.to) != nil {
				return
			}
		}
		r.Descriptors = []usbreport.Descriptor{{Kind: usbreport.KindDevice, Data: device}, {Kind: usbreport.KindConfiguration, Data: configuration}}
		if r.Check() != nil {
			return
		}
		c := NewReplay(r)
		defer c.Unplug()
		for _, q := range r.Requests {
			_, _ = c.Control(d435i.Setup{RequestType: classIn, Request: q.Request, Value: q.Value, Index: q.Index, Length: q.Length}, nil)
			_, _ = c.Control(d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: q.Value, Index: q.Index, Length: 4}, make([]byte, 4))
		}
		for _, k := range r.Commands {
			command := make([]byte, monitorSize)
			binary.LittleEndian.PutUint16(command[2:], monitorMagic)
			binary.LittleEndian.PutUint32(command[4:], k.Op)
			for i, p := range k.Params {
				binary.LittleEndian.PutUint32(command[8+4*i:], p)
			}
			_, _ = c.Control(d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: monitorValue, Index: 0x300, Length: monitorSize}, command)
			_, _ = c.Control(d435i.Setup{RequestType: classIn, Request: uvcGetCur, Value: monitorValue, Index: 0x300, Length: monitorSize}, nil)
		}
		done, cancel := context.WithCancel(context.Background())
		cancel()
		for _, p := range r.Probes {
			for _, selector := range []uint16{vsProbe, vsCommit} {
				want := make([]byte, 48)
				want[2], want[3] = p.Format, p.Frame
				binary.LittleEndian.PutUint32(want[4:], p.Interval)
				_, _ = c.Control(d435i.Setup{RequestType: classOut, Request: uvcSetCur, Value: selector << 8, Index: uint16(p.Interface), Length: 48}, want)
			}
			_, _ = c.Control(d435i.Setup{RequestType: 2, Request: 1, Index: uint16(p.Endpoint)}, nil)
			_, _ = c.Read(done, p.Endpoint)
			c.mu.Lock()
			if st := c.streams[p.Endpoint]; st != nil && st.size < 1<<16 {
				for number := range uint32(5) {
					st.payload(number * 0x33333333)
				}
			}
			c.mu.Unlock()
		}
		for _, m := range r.Motion {
			feature := []byte{m.ID, 0, 0, powerOn, 0, byte(m.Interval), byte(m.Interval >> 8), 0, 0}
			_, _ = c.Control(d435i.Setup{RequestType: classOut, Request: hidSetReport, Value: hidFeature<<8 | uint16(m.ID), Index: 5, Length: featureSize}, feature)
			if run := c.motion[m.ID]; run != nil {
				run.take()
			}
		}
		for _, endpoint := range []uint8{0x86, 0x87} {
			_, _ = c.Read(done, endpoint)
		}
	})
}
