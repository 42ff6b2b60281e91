package msgs

import (
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"rsros/test/need"
)

// TestImageLayout compares the head of a depth image with librealsense's layout.
func TestImageLayout(t *testing.T) {
	e := Encoder{B: []byte("before")}
	e.BeginCDR()
	head := ImageHead{Header: Header{Seq: 9, Stamp: NewTime(3, 4), FrameID: "Depth"}, Height: 48, Width: 64, Encoding: "mono16", Step: 128, DataLen: 2}
	head.Append(&e)
	const want = "00010000" + "03000000" + "04000000" + "06000000" + "446570746800" + "0000" + // padding to 20
		"30000000" + "40000000" + "07000000" + "6d6f6e6f313600" + "00" + "80000000" + "02000000"
	if got := hex.EncodeToString(e.B[len("before"):]); got != want {
		t.Fatalf("encoded\n%s, want\n%s", got, want)
	}
}

// readAll reads a value of every kind.
func readAll(d *Decoder) []any {
	return []any{d.U8(), d.U16(), d.Bool(), d.U32(), d.U8(), d.F64(), d.String(), d.F32(), d.I64(), d.I32(), d.Time(), string(d.Bytes())}
}

// TestEveryValue reads values in both byte orders. Padding has any value: librealsense leaves
// bytes of earlier messages in it.
func TestEveryValue(t *testing.T) {
	var e Encoder
	e.BeginCDR()
	e.U8(1)
	e.U16(0x1234)
	e.Bool(true)
	e.U32(4)
	e.U8(0xfb)
	e.F64(1)
	e.String("é")
	e.F32(-2)
	e.I64(-8)
	e.I32(-9)
	e.Time(NewTime(5, 6))
	e.Bytes([]byte{7, 8})
	const big = "00000000 01ee1234 ff eeeeee 00000004 fb eeeeee 3ff0000000000000" +
		"00000003 c3a900 ee c0000000 eeeeeeee fffffffffffffff8 fffffff7 00000005 00000006 00000002 0708"
	bigEndian, err := hex.DecodeString(strings.ReplaceAll(big, " ", ""))
	need.Must(t, err)
	want := []any{uint8(1), uint16(0x1234), true, uint32(4), uint8(0xfb), float64(1), "é", float32(-2), int64(-8), int32(-9), NewTime(5, 6), "\x07\x08"}
	for _, blob := range [][]byte{e.B, bigEndian} {
		d := NewCDRDecoder(blob)
		if got := readAll(d); !reflect.DeepEqual(got, want) || d.Err() != nil || d.Remaining() != 0 {
			t.Errorf("%x, big-endian %v: got %v (%v), %d bytes left", blob, d.BigEndian(), got, d.Err(), d.Remaining())
		}
	}
}

func TestCDRRefused(t *testing.T) {
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
		need.Must(t, err)
		d := NewCDRDecoder(blob)
		if s := d.String(); s != "" || d.Err() == nil || !strings.Contains(d.Err().Error(), test.want) {
			t.Errorf("%s: %q, %v", name, s, d.Err())
		}
		if d.U8() != 0 || d.Remaining() != 0 {
			t.Errorf("%s: decoding continued after an error", name)
		}
		if strings.HasPrefix(test.want, "need") && !errors.Is(d.Err(), io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v isn't ErrUnexpectedEOF", name, d.Err())
		}
	}
}

func TestCDRTimeOutOfRange(t *testing.T) {
	var e Encoder
	e.BeginCDR()
	e.I32(-1)
	e.U32(5)
	e.Time(NewTime(1<<31, 6))
	d := NewCDRDecoder(e.B)
	if early, late := d.Time(), d.Time(); early != 0 || late != NewTime(1<<31-1, 6) {
		t.Errorf("time before 1970: got %d; after 2038: got %d", early, late)
	}
}

// FuzzCDR decodes arbitrary bytes by a script, and checks sizes and positions.
func FuzzCDR(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 2, 'a', 0}, []byte{4, 0})
	f.Fuzz(func(t *testing.T, blob, script []byte) {
		d := NewCDRDecoder(blob)
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
				d.F64s(make([]float64, op/8))
			}
			if d.Pos() < before || d.Pos() > max(len(blob)-4, 0) {
				t.Fatalf("position %d after %d in %d bytes", d.Pos(), before, len(blob))
			}
		}
	})
}
