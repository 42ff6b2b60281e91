//go:build usb && usbvm && usbsdk

package usbvm

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"sync"
	"testing"

	"rsros/usbcam/d435i"
	"rsros/usbcam/usbip"
)

// witness is a camera whose payloads are remembered as they leave.
type witness struct {
	*d435i.Camera
	mu     *sync.Mutex
	sent   map[uint8]map[uint32]payload // by endpoint and time: numbers start anew if the SDK restarts a stream
	pixels bool                         // hash pixels; slow under emulation
}

type payload struct {
	header []byte
	sum    [2]uint64 // of left and right of an interleaved image
}

func (w witness) Read(ctx context.Context, endpoint uint8) ([]byte, error) {
	b, err := w.Camera.Read(ctx, endpoint)
	if err != nil || len(b) < 200 || endpoint > 0x84 {
		return b, err
	}
	p := payload{header: bytes.Clone(b[:b[0]])}
	if image := b[b[0]:]; w.pixels {
		p.sum[0] = sum(image)
		if endpoint == 0x83 {
			for side := range p.sum {
				p.sum[side] = sum(half(image, side))
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sent[endpoint] == nil {
		w.sent[endpoint] = map[uint32]payload{}
	}
	w.sent[endpoint][binary.LittleEndian.Uint32(b[2:])] = p
	return b, err
}

// plugWitness plugs in a camera, and shows what it sends.
func plugWitness(t *testing.T, o d435i.Options, pixels bool) witness {
	t.Helper()
	w := witness{mu: &sync.Mutex{}, sent: map[uint8]map[uint32]payload{}, pixels: pixels}
	plugWatched(t, o, func(c *d435i.Camera) usbip.Device {
		w := w
		w.Camera = c
		return w
	})
	eventually(t, "kernel drivers bind", func() bool { return bound(t) })
	return w
}

// sum is the probe's hash.
func sum(b []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for ; len(b) >= 8; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 0x100000001b3
	}
	return h
}

// shown is a frame as the SDK delivers it.
type shown struct {
	number uint32
	hash   string
	meta   map[string]int64
}

// framesOf returns the frames of a stream. Lines have serial number, stream, domain, number, time,
// hash and metadata.
func framesOf(t *testing.T, said map[string][][]string, stream string) []shown {
	t.Helper()
	var list []shown
	for _, f := range said["frame"] {
		if f[1] != stream {
			continue
		}
		s := shown{uint32(number(t, f[3])), f[5], map[string]int64{}}
		for _, m := range f[6:] {
			key, value, _ := strings.Cut(m, "=")
			s.meta[key] = int64(number(t, value))
		}
		list = append(list, s)
	}
	return list
}

// time is the camera's, in µs.
func (s shown) time() uint32 { return uint32(s.meta["Frame Timestamp"]) }

// field is where a payload's header holds a value.
type field struct {
	at, size int
	signed   bool
}

// value reads it.
func (f field) value(header []byte) int64 {
	b := append(bytes.Clone(header[f.at:f.at+f.size]), 0, 0, 0, 0)
	v := int64(binary.LittleEndian.Uint32(b))
	if f.signed {
		v = int64(int16(v))
	}
	return v
}

// fieldsOf adds fields of 4 bytes at these places to others.
func fieldsOf(words map[string]int, others map[string]field) map[string]field {
	for key, at := range words {
		others[key] = field{at: at, size: 4}
	}
	return others
}

var (
	stereoFields = fieldsOf(map[string]int{
		"Frame Timestamp": 2, "Frame Counter": 28, "White Balance": 100, "Gain Level": 148, "Actual Exposure": 152,
		"Frame Laser Power": 156, "Auto Exposure": 160, "Exposure Priority": 164,
		"Exposure Roi Left": 168, "Exposure Roi Right": 172, "Exposure Roi Top": 176, "Exposure Roi Bottom": 180,
	}, map[string]field{"Frame Emitter Mode": {at: 188, size: 1}})
	colorFields = fieldsOf(map[string]int{
		"Frame Timestamp": 2, "Frame Counter": 28, "White Balance": 100, "Contrast": 152, "Saturation": 156, "Sharpness": 160,
		"Auto White Balance Temperature": 168, "Gain Level": 172, "Backlight Compensation": 176, "Gamma": 180,
		"Actual Exposure": 188, "Manual White Balance": 192, "Power Line Frequency": 196, "Low Light Compensation": 200,
	}, map[string]field{"Brightness": {at: 148, size: 2, signed: true}, "Hue": {at: 184, size: 2, signed: true}})
)

// check compares a frame with the payload that was sent under its number.
func (s shown) check(t *testing.T, stream string, sent map[uint32]payload, fields map[string]field) {
	t.Helper()
	p, ok := sent[s.time()]
	if !ok {
		t.Errorf("%s: no frame was sent at %d µs", stream, s.time())
		return
	}
	for key, f := range fields {
		want := f.value(p.header)
		if got, ok := s.meta[key]; !ok || got != want {
			t.Errorf("%s: frame %d has %s %d (%v), %d was sent", stream, s.number, key, got, ok, want)
		}
	}
	stamp, half := int64(binary.LittleEndian.Uint32(p.header[2:])), int64(binary.LittleEndian.Uint32(p.header[32:]))
	if got := s.meta["Sensor Timestamp"]; got != stamp-half {
		t.Errorf("%s: frame %d was exposed at %d, want %d", stream, s.number, got, stamp-half)
	}
}

// half is one side of an interleaved image.
func half(image []byte, side int) []byte {
	b := make([]byte, len(image)/2)
	for i := range b {
		b[i] = image[2*i+side]
	}
	return b
}
