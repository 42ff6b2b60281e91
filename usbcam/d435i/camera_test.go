package d435i

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// command runs a command of the hardware monitor and returns its data, or the refusal.
func command(t testing.TB, c *Camera, op uint32, data []byte, p ...uint32) ([]byte, int32) {
	t.Helper()
	b := make([]byte, 1024)
	binary.LittleEndian.PutUint16(b, uint16(20+len(data)))
	binary.LittleEndian.PutUint16(b[2:], 0xcdab)
	binary.LittleEndian.PutUint32(b[4:], op)
	for i, v := range p {
		binary.LittleEndian.PutUint32(b[8+4*i:], v)
	}
	copy(b[24:], data)
	if _, err := c.Control(Setup{0x21, uvc.SetCur, 0x100, 0x300, 1024}, b); err != nil {
		t.Fatal(err)
	}
	var reply []byte
	for range 2 { // the second time as after a timeout
		var err error
		if reply, err = c.Control(Setup{0xa1, uvc.GetCur, 0x100, 0x300, 1024}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if code := int32(binary.LittleEndian.Uint32(reply)); code != int32(op) {
		return nil, code
	}
	return reply[4 : 4+binary.LittleEndian.Uint32(reply[1020:])], 0
}

// TestRefusals checks what the camera doesn't let a host do.
func TestRefusals(t *testing.T) {
	c := New(Options{})
	for _, test := range []struct {
		name string
		op   uint32
		p    []uint32
		want int32
	}{
		{"on-chip calibration", 0x80, []uint32{8, 3}, model.WrongState},
		{"table", 0x16, []uint32{25}, model.Locked},
		{"calibration table", 0x62, nil, model.Locked},
		{"restoring defaults", 0x61, nil, model.Locked},
		{"flash", 0x0a, nil, model.Locked},
		{"update mode", 0x1e, []uint32{1}, model.Locked},
		{"register without advanced mode", 0x2b, []uint32{9}, model.WrongState},
		{"unknown command", 0xee, nil, model.BadCommand},
		{"unknown group", 0x2c, []uint32{13}, model.BadParameter},
		{"no sequence", 0x7d, nil, model.NoData},
	} {
		if _, code := command(t, c, test.op, nil, test.p...); code != test.want {
			t.Errorf("%s: %d, want %d", test.name, code, test.want)
		}
	}
	for _, b := range [][]byte{{1}, {5, 0, 0, 0, 2}, {5, 0, 0, 0, 1, 4, 1, 0, 200}, {5, 0, 0, 0, 0}, {5, 0, 0, 0, 1, 4, 1, 0, 0, 9}} {
		if _, code := command(t, c, 0x7b, b, uint32(len(b))); code != model.BadParameter {
			t.Errorf("sequence % x: %d", b, code)
		}
	}
	if v := c.Violations(); len(v) != 0 {
		t.Errorf("violations: %q", v)
	}
}

func TestAdvancedMode(t *testing.T) {
	c := New(Options{})
	if _, code := command(t, c, 0x2d, nil, 1); code != 0 {
		t.Fatal(code)
	}
	if on, _ := command(t, c, 0x30, nil); on[0] != 0 {
		t.Error("advanced mode is on before the reset")
	}
	c = New(c.Options())
	if on, _ := command(t, c, 0x30, nil); on[0] != 1 {
		t.Error("advanced mode is off after the reset")
	}
	for group, size := range groupSizes {
		b, code := command(t, c, 0x2c, nil, uint32(group), 0)
		if code != 0 || len(b) != size {
			t.Errorf("group %d has %d bytes (%d), want %d", group, len(b), code, size)
		}
		b = bytes.Repeat([]byte{1}, size)
		if group == model.DepthGroup {
			binary.LittleEndian.PutUint32(b, 500)
		}
		if _, code := command(t, c, 0x2b, b, uint32(group)); code != 0 {
			t.Errorf("group %d: %d", group, code)
		}
		if got, _ := command(t, c, 0x2c, nil, uint32(group), 0); !bytes.Equal(got, b) {
			t.Errorf("group %d is % x after % x was set", group, got, b)
		}
	}
	depth := []byte{0xe8, 3, 100, 0}
	c.applySettings(Mode{Code: "Z16 "}, 1, depth)
	if want := []byte{0xd0, 7, 200, 0}; !bytes.Equal(depth, want) {
		t.Errorf("depth in units of half a millimetre is % x, want % x", depth, want)
	}
}

// TestLog checks the firmware's log and the status endpoint after an error.
func TestLog(t *testing.T) {
	c := New(Options{})
	c.ReportError(2)
	b, _ := command(t, c, 0x0f, nil, 0x1f4)
	if len(b) != 40 || b[0] != 0xa0 || b[20] != 0xa0 || b[24] != eventError || b[28] != 2 {
		t.Errorf("log % x", b)
	}
	if b, _ := command(t, c, 0x0f, nil, 0x1f4); len(b) != 0 {
		t.Errorf("log % x after it was read", b)
	}
	packet, err := c.Read(t.Context(), statusEndpoint)
	if err != nil || !bytes.Equal(packet, []byte{1, 3, 0, 7, 0, 2}) {
		t.Errorf("status % x, %v", packet, err)
	}
	done := make(chan error)
	go func() {
		_, err := c.Read(t.Context(), statusEndpoint)
		done <- err
	}()
	c.Unplug()
	select {
	case err := <-done:
		if !errors.Is(err, ErrGone) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("unplugging doesn't end a read")
	}
	// A read before a commit is a violation, but not of a camera that isn't there.
	if _, err := c.Read(t.Context(), 0x82); !errors.Is(err, ErrGone) || len(c.Violations()) > 0 {
		t.Errorf("a read after unplugging: %v, violations %q", err, c.Violations())
	}
}

// TestStatusCleared checks that a packet for the status endpoint isn't lost if the endpoint is cleared while a host reads it.
func TestStatusCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{})
		defer c.Unplug()
		for i := range uint8(100) {
			read := make(chan []byte, 1)
			go func() {
				packet, _ := c.Read(t.Context(), statusEndpoint)
				read <- packet
			}()
			synctest.Wait()
			c.ReportError(i)
			if _, err := c.Control(Setup{RequestType: 2, Request: clearFeature, Index: statusEndpoint}, nil); err != nil {
				t.Fatal(err)
			}
			if packet, want := <-read, []byte{1, 3, 0, 7, 0, i}; !bytes.Equal(packet, want) {
				t.Fatalf("packet % x, want % x", packet, want)
			}
		}
	})
}

// TestExposure checks that grey images get brighter with a longer exposure that is set.
func TestExposure(t *testing.T) {
	c := New(Options{})
	b := []byte{10, 200}
	c.applySettings(Mode{Code: "Y8I "}, 1, b)
	if !bytes.Equal(b, []byte{10, 200}) {
		t.Errorf("automatic exposure changes pixels to %v", b)
	}
	if _, err := c.Control(Setup{0x21, uvc.SetCur, 0x300, 0x300, 4}, []byte{0x68, 0x42, 0, 0}); err != nil { // 17 ms
		t.Fatal(err)
	}
	if c.applySettings(Mode{Code: "Y8I "}, 1, b); !bytes.Equal(b, []byte{20, 255}) {
		t.Errorf("twice the exposure gives %v", b)
	}
}

// FuzzCommand sends commands of the hardware monitor.
func FuzzCommand(f *testing.F) {
	f.Add(uint32(0x7b), uint32(23), []byte{5, 15, 0, 0, 2, 4, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1, 0, 1, 0, 1, 0, 0, 0})
	f.Add(uint32(0x2b), uint32(9), make([]byte, 20))
	f.Fuzz(func(t *testing.T, op, p uint32, data []byte) {
		c := New(Options{Advanced: true})
		defer c.Unplug()
		command(t, c, op, data[:min(len(data), 1000)], p, p)
		c.header(false, Mode{Code: "Z16 ", W: 2, H: 2, Bits: 16, FPS: 30}, 7, 7)
	})
}
