package d400

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/report"
	"rsros/usbcam/d435i"
)

// TestReport compares a report with what the virtual camera has.
func TestReport(t *testing.T) {
	bus := newBus1(t)
	const payloads = 4
	r, err := readReport(t.Context(), bus, ReportOptions{Payloads: payloads})
	if err != nil {
		t.Fatal(err)
	}
	cam := d435i.New(d435i.Options{Serial: serial, ASICSerial: asic}) // to be asked the same
	defer cam.Unplug()
	if r.Firmware != "5.15.0.100" || r.Product != "0B3A" || r.USB != "3.2" || r.Status != 0x87 || r.HID != 0x86 || len(r.Notes) != 0 {
		t.Errorf("head %+v", r.Head)
	}
	for _, d := range []struct {
		kind, index uint8
		where       uint16
	}{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {3, 1, english}, {3, 3, english}, {3, 5, english}, {3, 6, english}, {3, 9, english}, {15, 0, 0}, {0x22, 0, 5}} {
		setup := d435i.Setup{RequestType: 0x80, Request: getDescriptor, Value: uint16(d.kind)<<8 | uint16(d.index), Index: d.where, Length: 0xffff}
		want, err := cam.Control(setup, nil)
		if got := r.Descriptor(d.kind, d.index, d.where); err != nil || !bytes.Equal(got, want) {
			t.Errorf("descriptor %v: % x, want % x, %v", d, got, want, err)
		}
	}
	stalls := 0
	for _, q := range r.Requests {
		want, err := cam.Control(d435i.Setup{RequestType: q.Type, Request: q.Request, Value: q.Value, Index: q.Index, Length: q.Length}, nil)
		if !bytes.Equal(q.Answer, want) || (err != nil) != (q.Error == report.Stall) {
			t.Errorf("%s: % x %q, want % x, %v", q.What, q.Answer, q.Error, want, err)
		}
		if err != nil {
			stalls++
		}
	}
	if len(r.Requests) < 200 || stalls == 0 {
		t.Errorf("%d requests, %d stalls", len(r.Requests), stalls)
	}
	for _, c := range r.Commands {
		if c.Op == model.OpReadRegister {
			continue
		}
		want, err := askMonitor(t, d435i.Options{Serial: serial, ASICSerial: asic}, c.Op, c.Params[:]...)
		code := int32(0)
		if refusal := (*model.Refusal)(nil); errors.As(err, &refusal) {
			code = refusal.Code
		}
		if !bytes.Equal(c.Data, want) || c.Code != code || c.Error != "" || c.Table() && code == 0 && c.CRC != report.Right {
			t.Errorf("%s: %d bytes, code %d, %q, CRC %q; want %d bytes, %v", c.What, len(c.Data), c.Code, c.Error, c.CRC, len(want), err)
		}
	}
	if len(r.Probes) < 150 || slices.ContainsFunc(r.Probes, func(p report.Probe) bool { return p.Error != "" || len(p.Answer) != 48 }) {
		t.Errorf("%d probes", len(r.Probes))
	}
	if len(r.Streams) != 7 {
		t.Errorf("%d streams, want 7", len(r.Streams))
	}
	for _, s := range r.Streams {
		if len(s.Payloads) != payloads || s.Error != "" {
			t.Errorf("format %d of interface %d: %d payloads, %s", s.Format, s.Interface, len(s.Payloads), s.Error)
		}
		for i, p := range s.Payloads {
			h, err := parsePayload(p.Header)
			if err != nil || len(p.Header) != h.length || p.Size <= h.length {
				t.Errorf("payload %d of %d bytes: %v", i, p.Size, err)
			}
		}
	}
	if len(r.Motion) != 4 {
		t.Errorf("%d rates of inertial sensors, want 4", len(r.Motion))
	}
	for _, m := range r.Motion {
		if len(m.Reports) != payloads || m.Error != "" || len(m.Reports[0].Data) != reportShort || m.Reports[0].Data[0] != m.ID {
			t.Errorf("sensor %d at %d: %d reports, %s", m.ID, m.Rate, len(m.Reports), m.Error)
		}
	}
	for _, v := range []uint8{2, 3, 4, 6, 8, 0xb} { // nothing was set
		if got, want := bus.camera(0).ControlValue(0, 3, v), cam.ControlValue(0, 3, v); got != want {
			t.Errorf("control %d is %d, was %d", v, got, want)
		}
	}
}

// TestReportGoesOn checks that requests that fail don't end a report, and that a camera that goes does.
func TestReportGoesOn(t *testing.T) {
	bus := newBus1(t)
	broken := errors.New("broken")
	bus.hook(func(op string) error {
		for _, s := range []string{"control 21 01 0100 0300", "stream 82", "control 80 06 0f00", "control 21 09"} {
			if len(op) >= len(s) && op[:len(s)] == s {
				return broken
			}
		}
		return nil
	})
	r, err := readReport(t.Context(), bus, ReportOptions{Payloads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Commands {
		if c.Error != broken.Error() {
			t.Errorf("%s: error %q", c.What, c.Error)
		}
	}
	if len(r.Streams) != 7 || r.Streams[0].Error == "" || r.Streams[6].Error != "" || r.Motion[0].Error == "" || len(r.Notes) != 1 {
		t.Errorf("streams %+v, motion %+v, notes %q", r.Streams, r.Motion, r.Notes)
	}
	bus.hook(func(op string) error {
		if op == "stream 83" {
			return camdriver.ErrUnplugged
		}
		return nil
	})
	if _, err := readReport(t.Context(), bus, ReportOptions{Payloads: 1}); !errors.Is(err, camdriver.ErrUnplugged) {
		t.Errorf("report of a camera that went: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	bus.hook(func(op string) error {
		if op == "stream 84" {
			cancel()
		}
		return nil
	})
	if _, err := readReport(ctx, bus, ReportOptions{Payloads: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("report that was canceled: %v", err)
	}
}

func TestReportChoosesCamera(t *testing.T) {
	bus := newBus1(t, d435i.Options{}, d435i.Options{Product: 0x0ad4})
	if _, err := readReport(t.Context(), bus, ReportOptions{}); err == nil || errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("of two cameras: %v", err)
	}
	if _, err := readReport(t.Context(), bus, ReportOptions{Port: "3-1"}); !errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("at another port: %v", err)
	}
	r, err := readReport(t.Context(), bus, ReportOptions{Port: "2-2", Payloads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Product != "0AD4" || len(r.Motion) != 0 || r.HID != 0 || len(r.Streams) != 5 {
		t.Errorf("%+v, %d streams", r.Head, len(r.Streams))
	}
}
