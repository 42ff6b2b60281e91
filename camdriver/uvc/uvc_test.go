package uvc_test

import (
	"errors"
	"testing"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// configurationOf reads a virtual camera's configuration.
func configurationOf(o d435i.Options) []byte {
	c := d435i.New(o)
	defer c.Unplug()
	return c.Configuration()
}

func TestConfigurationOfD435i(t *testing.T) {
	cfg, err := uvc.ParseConfiguration(configurationOf(d435i.Options{D3D: true}))
	need.Must(t, err)
	if len(cfg.Video) != 2 || len(cfg.HID) != 1 {
		t.Fatalf("%d video functions, %d HID", len(cfg.Video), len(cfg.HID))
	}
	d, c := cfg.Video[0], cfg.Video[1]
	if d.Version != 0x150 || d.Processing != 2 || d.Units[2].ID != 3 || d.Units[2].GUID != model.DepthUnit {
		t.Errorf("depth function %+v", d)
	}
	if c.Interface != 3 || c.Camera != 6 || c.Processing != 7 || c.Streams[0].Endpoint != 0x84 {
		t.Errorf("colour function %+v", c)
	}
	if h := cfg.HID[0]; h != (uvc.HID{Interface: 5, Endpoint: 0x86, MaxPacket: 64, Report: 71}) {
		t.Errorf("HID %+v", h)
	}
	formats := map[string]bool{}
	for _, s := range append(d.Streams, c.Streams...) {
		for _, f := range s.Formats {
			formats[string(f.GUID[:4])] = true
		}
	}
	for _, f := range []string{"\x50\x00\x00\x00", "\x32\x00\x00\x00", "UYVY", "Y8I ", "Y12I", "YUY2", "BYR2"} {
		if !formats[f] {
			t.Errorf("format %q is missing", f)
		}
	}
}

func TestConfigurationErrors(t *testing.T) {
	good := configurationOf(d435i.Options{})
	for _, test := range []struct {
		name   string
		spoil  func(b []byte) []byte
		offset int
	}{
		{"empty", func([]byte) []byte { return nil }, 0},
		{"another descriptor", func(b []byte) []byte { b[1] = 1; return b }, 0},
		{"length 0", func(b []byte) []byte { b[9] = 0; return b }, 9},
		{"length 1", func(b []byte) []byte { b[9] = 1; return b }, 9},
		{"length beyond the end", func(b []byte) []byte { return b[:12] }, 9},
		{"frame before format", func(b []byte) []byte {
			return append(b[:9:9], 9, 4, 0, 0, 0, 14, 1, 0, 0, 9, 4, 1, 0, 0, 14, 2, 0, 0, 4, 0x24, 17, 1)
		}, 27},
		{"streaming without control", func(b []byte) []byte { return append(b[:9:9], 9, 4, 1, 0, 0, 14, 2, 0, 0) }, 9},
		{"intervals missing", func(b []byte) []byte {
			b = append(b[:9:9], 9, 4, 0, 0, 0, 14, 1, 0, 0, 9, 4, 1, 0, 0, 14, 2, 0, 0)
			b = append(b, 28, 0x24, 16, 1, 1)
			b = append(b, make([]byte, 23)...)
			frame := make([]byte, 26)
			frame[0], frame[1], frame[2], frame[21] = 26, 0x24, 17, 3
			return append(b, frame...)
		}, 55},
	} {
		_, err := uvc.ParseConfiguration(test.spoil(append([]byte(nil), good...)))
		var at *uvc.DescriptorError
		if !errors.As(err, &at) || at.Offset != test.offset {
			t.Errorf("%s: %v, want an error at %d", test.name, err, test.offset)
		}
	}
}

func TestFrameRate(t *testing.T) {
	for interval, want := range map[uint32]int{
		0: 0, 1: 10_000_000, 333333: 30, 333334: 30, 666666: 15, 1666665: 6, 1666666: 6, 111111: 90, 33333: 300, 0xffffffff: 0,
	} {
		if got := uvc.FrameRate(interval); got != want {
			t.Errorf("interval %d: %d fps, want %d", interval, got, want)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		b    []byte
		ok   bool
	}{
		{"empty", nil, false},
		{"no bits", []byte{2, 0x80}, true},
		{"header too short for its bits", []byte{2, uvc.HeaderPTS, 0, 0, 0, 0}, false},
		{"header longer than the transfer", []byte{12, uvc.HeaderPTS | uvc.HeaderSCR, 0, 0, 0}, false},
		{"marked as faulty", []byte{2, uvc.HeaderERR}, false},
		{"PTS only", []byte{6, uvc.HeaderPTS, 1, 0, 0, 0}, true},
	} {
		if _, err := uvc.ParseHeader(test.b); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
