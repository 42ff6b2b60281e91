package packed

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rsros/camdriver"
	"rsros/test/need"
)

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	need.Must(t, png.Encode(&b, img))
	return b.Bytes()
}

func zstdOf(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	need.Must(t, err)
	defer w.Close()
	return w.EncodeAll(b, nil)
}

// TestDecode unpacks each form to the camera's bytes.
func TestDecode(t *testing.T) {
	deep := image.NewGray16(image.Rect(0, 0, 2, 1))
	deep.SetGray16(1, 0, color.Gray16{0x1234})
	grey := image.NewGray(image.Rect(0, 0, 3, 1))
	grey.Pix[2] = 7
	opaque := image.NewNRGBA(image.Rect(0, 0, 1, 2))
	copy(opaque.Pix, []byte{1, 2, 3, 255, 4, 5, 6, 255})
	alpha := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	copy(alpha.Pix, []byte{1, 2, 3, 4})
	for _, c := range []struct {
		format string
		data   []byte
		want   camdriver.Format
		out    string
	}{
		{"16UC1; compressedDepth png", append(make([]byte, 12), pngOf(t, deep)...), camdriver.Z16, "2x1 step 4: 00003412"},
		{"mono16; png compressed mono16", pngOf(t, deep), camdriver.Y16, "2x1 step 4: 00003412"},
		{"mono8; png compressed mono8", pngOf(t, grey), camdriver.Y8, "3x1 step 3: 000007"},
		{"rgb8; png compressed bgr8", pngOf(t, opaque), camdriver.RGB8, "1x2 step 3: 010203040506"},
		{"bgr8; png compressed bgr8", pngOf(t, opaque), camdriver.BGR8, "1x2 step 3: 030201060504"},
		{"bgra8; png compressed bgra8", pngOf(t, alpha), camdriver.BGRA8, "1x1 step 4: 03020104"},
		{"YUYV; zstd; 2x2 step=5", zstdOf(t, []byte("0123456789")), camdriver.YUYV, "2x2 step 5: 30313233343536373839"},
	} {
		p, err := Decode(c.format, c.data, c.want)
		if got := fmt.Sprintf("%dx%d step %d: %x", p.Width, p.Height, p.Step, p.Data); got != c.out || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.format, got, err, c.out)
		}
	}
}

// TestRefused checks that sizes that the bytes can't hold are errors, before any allocation.
func TestRefused(t *testing.T) {
	bomb := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	copy(bomb[16:], []byte{0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff})
	small := zstdOf(t, []byte("0123456789"))
	for format, data := range map[string][]byte{
		"mono8; png":                            bomb,
		"16UC1; compressedDepth png":            {1, 2, 3},
		"YUYV; zstd; 100000x100000 step=200000": small,
		"YUYV; zstd; 2x2 step=4":                small,
		"YUYV; zstd; 2x0 step=4":                small,
		"YUYV; zstd; x":                         small,
		"Y8; zstd; 2x2 step=5":                  []byte("nothing"),
		"jpeg":                                  small,
	} {
		if p, err := Decode(format, data, camdriver.Y8); err == nil {
			t.Errorf("%s: %+v", format, p)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("mono8; png compressed mono8", pngOf(f, image.NewGray(image.Rect(0, 0, 3, 2))))
	f.Add("16UC1; compressedDepth png", append(make([]byte, 12), pngOf(f, image.NewGray16(image.Rect(0, 0, 3, 2)))...))
	f.Add("YUYV; zstd; 2x2 step=5", zstdOf(f, []byte("0123456789")))
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		p, err := Decode(format, data, camdriver.BGR8)
		if err == nil && (len(p.Data) != p.Height*p.Step || p.Step < 1) {
			t.Errorf("%dx%d step %d with %d bytes", p.Width, p.Height, p.Step, len(p.Data))
		}
	})
}

// FuzzNodeImage decodes compressed images of any content.
func FuzzNodeImage(f *testing.F) {
	f.Add("16UC1; compressedDepth rvl", append(make([]byte, 12), 4, 0, 0, 0, 3, 0, 0, 0, 0x99))
	f.Add("rgb8; jpeg compressed bgr8", []byte("\xff\xd8\xff"))
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		if p, err := DecodeNode(format, data); err == nil && len(p.Data) < p.Step*p.Height {
			t.Errorf("%d rows of %d in %d bytes", p.Height, p.Step, len(p.Data))
		}
	})
}
