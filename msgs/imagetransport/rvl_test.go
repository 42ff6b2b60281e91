package imagetransport

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"rsros/test/need"
)

func words(pixels ...uint16) []byte {
	var b []byte
	for _, p := range pixels {
		b = binary.LittleEndian.AppendUint16(b, p)
	}
	return b
}

// Codes written by hand from the definition of the format.
var rvlVectors = map[string]struct {
	pixels []byte
	code   string
}{
	"runs and differences": {
		words(0, 0, 1000, 1002, 999, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1005, 1005), "45f38a23 00102c91",
	},
	"no zeros":   {words(42, 42, 42), "0010ca03"},
	"only zeros": {words(0, 0, 0, 0), "00000040"},
	"nothing":    {nil, ""},
	"all bits":   {words(65535, 1), "f3ffef02 00f3ffbf"},
}

func TestRVLVectors(t *testing.T) {
	for name, v := range rvlVectors {
		t.Run(name, func(t *testing.T) {
			code, err := hex.DecodeString(strings.ReplaceAll(v.code, " ", ""))
			need.Must(t, err)
			if got := AppendRVL([]byte("head"), v.pixels); !bytes.Equal(got, append([]byte("head"), code...)) {
				t.Errorf("code %x, want head and %x", got, code)
			}
			pixels := bytes.Repeat([]byte{0xaa}, len(v.pixels))
			if err := DecodeRVL(pixels, code); err != nil || !bytes.Equal(pixels, v.pixels) {
				t.Errorf("decoded %x (%v), want %x", pixels, err, v.pixels)
			}
		})
	}
}

func TestRVLRefuses(t *testing.T) {
	for name, c := range map[string]struct{ code, want string }{
		"nothing":           {"", "byte 0 of 0: pixels are missing"},
		"half a word":       {"0010ca", "byte 0 of 3: pixels are missing"},
		"ends in a number":  {"88888888", "byte 4 of 4: pixels are missing"},
		"too many zeros":    {"00000050", "run of 5 pixels, but 4 are left"},
		"too many values":   {"00000005", "run of 5 pixels, but 4 are left"},
		"an endless number": {"ffffffffffffffff", "more than 11 nibbles"},
	} {
		t.Run(name, func(t *testing.T) {
			code, err := hex.DecodeString(c.code)
			need.Must(t, err)
			if err := DecodeRVL(make([]byte, 8), code); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// noisyDepth returns depth like a stereo camera's: slopes with noise and holes.
func noisyDepth(w, h int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, 2*w*h)
	for y := range h {
		for x := range w {
			v := 800 + x + y/2 + r.IntN(8)
			if (x/37+y/23)%7 == 0 {
				v = 0
			}
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		}
	}
	return b
}

// plainRVL encodes nibble by nibble.
func plainRVL(pixels []byte) (code []byte) {
	var word uint32
	nibbles := 0
	nibble := func(v uint32) {
		word |= v << (28 - 4*nibbles)
		if nibbles++; nibbles == 8 {
			code = binary.LittleEndian.AppendUint32(code, word)
			word, nibbles = 0, 0
		}
	}
	number := func(v uint32) {
		for ; v > 7; v >>= 3 {
			nibble(v&7 | 8)
		}
		nibble(v)
	}
	previous := 0
	for at := 0; at < len(pixels); {
		for _, zero := range []bool{true, false} {
			end := at
			for end < len(pixels) && pixel(pixels, end) == 0 == zero {
				end += 2
			}
			number(uint32(end-at) / 2)
			for ; at < end; at += 2 {
				if v := int(pixel(pixels, at)); v != 0 {
					d := v - previous
					number(uint32(max(2*d, -2*d-1)))
					previous = v
				}
			}
		}
	}
	for nibbles != 0 {
		nibble(0)
	}
	return code
}

func FuzzRVL(f *testing.F) {
	for _, v := range rvlVectors {
		f.Add(v.pixels)
	}
	f.Add(noisyDepth(31, 7))
	f.Add(words(0xffff, 0, 1, 0, 0xffff, 0x8000, 0))
	f.Fuzz(func(t *testing.T, pixels []byte) {
		pixels = pixels[:len(pixels)&^1]
		code := AppendRVL(nil, pixels)
		if want := plainRVL(pixels); !bytes.Equal(code, want) {
			t.Fatalf("%x became %x, want %x", pixels, code, want)
		}
		got := make([]byte, len(pixels))
		if err := DecodeRVL(got, code); err != nil || !bytes.Equal(got, pixels) {
			t.Errorf("%x became %x and then %x (%v)", pixels, code, got, err)
		}
		_ = DecodeRVL(make([]byte, 64), pixels) // must not panic
	})
}

func BenchmarkAppendRVL(b *testing.B) {
	pixels := noisyDepth(1280, 720)
	code := AppendRVL(nil, pixels)
	b.SetBytes(int64(len(pixels)))
	b.ReportAllocs()
	for b.Loop() {
		code = AppendRVL(code[:0], pixels)
	}
}

func BenchmarkDecodeRVL(b *testing.B) {
	pixels := noisyDepth(1280, 720)
	code := AppendRVL(nil, pixels)
	b.SetBytes(int64(len(pixels)))
	b.ReportAllocs()
	for b.Loop() {
		need.Must(b, DecodeRVL(pixels, code))
	}
}
