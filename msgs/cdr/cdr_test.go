package cdr

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"rsros/msgs"
)

// TestImageLayout compares the head of a depth image with librealsense's layout.
func TestImageLayout(t *testing.T) {
	e := Encoder{B: []byte("before")}
	e.Begin()
	e.Time(msgs.NewTime(3, 4))
	e.String("Depth")
	e.U32(48)
	e.U32(64)
	e.String("mono16")
	e.U8(0)
	e.U32(128)
	e.Bytes([]byte{7, 8})
	blob := e.B[len("before"):]
	const want = "00010000" + "03000000" + "04000000" + "06000000" + "446570746800" + "0000" + // padding to 20
		"30000000" + "40000000" + "07000000" + "6d6f6e6f313600" + "00" + "80000000" + "02000000" + "0708"
	if got := hex.EncodeToString(blob); got != want {
		t.Fatalf("encoded\n%s, want\n%s", got, want)
	}
	d := NewDecoder(blob)
	if got := d.Time(); got != msgs.NewTime(3, 4) {
		t.Errorf("time %d", got)
	}
	if got := d.String(); got != "Depth" {
		t.Errorf("frame_id %q", got)
	}
	if h, w := d.U32(), d.U32(); h != 48 || w != 64 {
		t.Errorf("%dx%d", w, h)
	}
	if got := d.String(); got != "mono16" {
		t.Errorf("encoding %q", got)
	}
	if big, step := d.Bool(), d.U32(); big || step != 128 {
		t.Errorf("is_bigendian %v, step %d", big, step)
	}
	if got := d.Bytes(); d.Pos() != 50 || !bytes.Equal(got, []byte{7, 8}) {
		t.Errorf("pixels %v end at %d", got, d.Pos())
	}
	if d.Err() != nil || d.Remaining() != 0 {
		t.Errorf("%v, %d bytes left", d.Err(), d.Remaining())
	}
}

func TestBigEndian(t *testing.T) {
	d := NewDecoder([]byte{0, 0, 0, 0 /**/, 1, 0xff, 0x12, 0x34 /**/, 0, 0, 0, 2, 'a', 0, 9, 9, 9, 9, 9, 9, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0})
	if b, n := d.Bool(), d.U16(); !b || n != 0x1234 {
		t.Errorf("%v, %#x", b, n)
	}
	if s, f := d.String(), d.F64(); s != "a" || f != 1 {
		t.Errorf("%q, %v", s, f)
	}
	if d.Err() != nil || !d.BigEndian() {
		t.Errorf("big-endian %v, %v", d.BigEndian(), d.Err())
	}
}

func TestAlignmentOfEveryNumber(t *testing.T) {
	var e Encoder
	e.Begin()
	write := func() {
		e.U8(1)
		e.U16(2)
		e.U8(3)
		e.U32(4)
		e.U8(5)
		e.F64(6)
		e.Bool(true)
		e.F32(7)
		e.I64(-8)
		e.I32(-9)
	}
	write()
	d := NewDecoder(e.B)
	got := []float64{float64(d.U8()), float64(d.U16()), float64(d.I8()), float64(d.U32()), float64(d.U8()), d.F64(), float64(d.U8()),
		float64(d.F32()), float64(d.I64()), float64(d.I32())}
	want := []float64{1, 2, 3, 4, 5, 6, 1, 7, -8, -9}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
	if d.Err() != nil || d.Pos() != 44 {
		t.Errorf("%v at %d, want the end at 44", d.Err(), d.Pos())
	}
}

// TestPadding checks that padding is ignored. librealsense leaves bytes of earlier messages
// in it.
func TestPadding(t *testing.T) {
	d := NewDecoder([]byte{0, 1, 0, 0, 1, 'x', 'y', 'z', 2, 0, 0, 0, 3})
	if a, b, c := d.U8(), d.U32(), d.U8(); a != 1 || b != 2 || c != 3 || d.Err() != nil {
		t.Errorf("%d %d %d %v", a, b, c, d.Err())
	}
}

func TestRefused(t *testing.T) {
	for name, test := range map[string]struct {
		blob string // hex
		want string
	}{
		"no encapsulation": {"000100", "encapsulation"},
		"parameter list":   {"0003000000000000", "0x0003"},
		"XCDR2":            {"0007000000000000", "0x0007"},
		"cut number":       {"00010000010000", "need 4 bytes, have 3"},
		"lying length":     {"00010000ffffffff41", "need 4294967295 bytes, have 1"},
	} {
		blob, err := hex.DecodeString(test.blob)
		if err != nil {
			t.Fatal(err)
		}
		d := NewDecoder(blob)
		if s := d.String(); s != "" || d.Err() == nil || !strings.Contains(d.Err().Error(), test.want) {
			t.Errorf("%s: %q, %v", name, s, d.Err())
		}
		if d.U8() != 0 || d.Remaining() != 0 {
			t.Errorf("%s: decoding continued after an error", name)
		}
		if strings.Contains(test.want, "needed") && !errors.Is(d.Err(), io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v isn't ErrUnexpectedEOF", name, d.Err())
		}
	}
}

func TestTimeOutOfRange(t *testing.T) {
	var e Encoder
	e.Begin()
	e.I32(-1)
	e.U32(5)
	e.Time(msgs.NewTime(1<<31, 6))
	d := NewDecoder(e.B)
	if got := d.Time(); got != 0 {
		t.Errorf("time before 1970: got %d", got)
	}
	if got := d.Time(); got != msgs.NewTime(1<<31-1, 6) {
		t.Errorf("time after 2038: got %d", got)
	}
}

// FuzzDecoder decodes arbitrary bytes by a script, and checks sizes and positions.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 2, 'a', 0}, []byte{4, 0})
	f.Fuzz(func(t *testing.T, blob, script []byte) {
		d := NewDecoder(blob)
		for _, op := range script {
			before := d.Pos()
			switch op % 8 {
			case 0:
				d.U8()
			case 1:
				d.U16()
			case 2:
				d.U32()
			case 3:
				d.U64()
			case 4:
				if s := d.String(); len(s) > len(blob) {
					t.Fatalf("string has %d bytes, input %d", len(s), len(blob))
				}
			case 5:
				if n := d.Len(8); n*8 > len(blob) {
					t.Fatalf("%d elements of 8 bytes in %d bytes", n, len(blob))
				}
			case 6:
				d.Numbers(int(op), 4)
			case 7:
				d.Time()
			}
			if d.Pos() < before || d.Pos() > max(len(blob)-4, 0) {
				t.Fatalf("position %d after %d in %d bytes", d.Pos(), before, len(blob))
			}
		}
	})
}
