package model

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

func TestSplitY8I(t *testing.T) {
	for _, n := range []int{0, 1, 3, 4, 5, 8, 1000} {
		src, wantLeft, wantRight := make([]byte, 2*n), make([]byte, n), make([]byte, n)
		for i := range n {
			wantLeft[i], wantRight[i] = byte(3*i), byte(255-7*i)
			src[2*i], src[2*i+1] = wantLeft[i], wantRight[i]
		}
		left, right := make([]byte, n), make([]byte, n)
		SplitY8I(left, right, src)
		if !bytes.Equal(left, wantLeft) || !bytes.Equal(right, wantRight) {
			t.Errorf("%d pixels: %v, %v", n, left, right)
		}
	}
}

func TestSplitY12I(t *testing.T) {
	left, right := make([]byte, 4), make([]byte, 4)
	// Ten bits of right 0x3a5 and left 0x15c, then zeros.
	SplitY12I(left, right, []byte{0xa5, 0xc<<4 | 0x3, 0x15, 0, 0, 0})
	if l, r := binary.LittleEndian.Uint16(left), binary.LittleEndian.Uint16(right); l != 0x15c<<6|0x15c>>4 || r != 0x3a5<<6|0x3a5>>4 {
		t.Errorf("left %04x right %04x", l, r)
	}
}

// TestYUV compares with BT.601 in floating point.
func TestYUV(t *testing.T) {
	near := func(a byte, want float64) bool { return math.Abs(float64(a)-min(max(want, 0), 255)) <= 1.5 }
	for y := 0; y < 256; y += 5 {
		for u := 0; u < 256; u += 15 {
			for v := 0; v < 256; v += 15 {
				luma, cb, cr := 1.164383*float64(y-16), float64(u-128), float64(v-128)
				want := [3]float64{luma + 1.596027*cr, luma - 0.391762*cb - 0.812968*cr, luma + 2.017232*cb}
				var a, b [6]byte
				yuvToRGB(a[:], []byte{byte(y), byte(u), byte(y), byte(v)}, false)
				yuvToRGB(b[:], []byte{byte(u), byte(y), byte(v), byte(y)}, true)
				if a != b || !near(a[0], want[0]) || !near(a[1], want[1]) || !near(a[2], want[2]) || a[0] != a[3] {
					t.Fatalf("YUV %d %d %d: %v and %v, want %v", y, u, v, a, b, want)
				}
			}
		}
	}
}

func BenchmarkConvert(b *testing.B) {
	const pixels = 1280 * 720
	src, dst, other := make([]byte, 2*pixels), make([]byte, 3*pixels), make([]byte, pixels)
	for i := range src {
		src[i] = byte(i * 7)
	}
	b.Run("YUYV to RGB8", func(b *testing.B) {
		b.SetBytes(2 * pixels)
		for b.Loop() {
			yuvToRGB(dst, src, false)
		}
	})
	b.Run("Y8I", func(b *testing.B) {
		b.SetBytes(2 * pixels)
		for b.Loop() {
			SplitY8I(dst[:pixels], other, src)
		}
	})
}
