package catalog

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// An imageMessage is a sensor_msgs/Image of w by h pixels.
func imageMessage(encoding string, w, h, step uint32, data []byte) []byte {
	var e msgs.Encoder
	(&msgs.ImageHead{Width: w, Height: h, Encoding: encoding, Step: step, DataLen: uint32(len(data))}).Append(&e)
	e.Raw(data)
	return e.B
}

func compressedMessage(format string, data []byte) []byte {
	var e msgs.Encoder
	(&msgs.Header{}).Append(&e)
	e.String(format)
	e.Len(len(data))
	e.Raw(data)
	return e.B
}

// of is the thumbnail of a file.
func of(t *testing.T, path string) image.Image {
	t.Helper()
	return ThumbnailImage(samplebag.Open(t, path))
}

// A RealSense recording has an image, too, also as a JPEG.
func TestOfFrame(t *testing.T) {
	bag := samplebag.Open(t, samplebag.Data(t, "sw_small_lz4.bag"))
	got, err := jpeg.Decode(bytes.NewReader(Thumbnail(bag)))
	need.Must(t, err)
	if want := ThumbnailImage(bag).Bounds(); got.Bounds() != want || want.Empty() || want.Dx() > 2*thumbnailWidth {
		t.Errorf("it is %v, want %v", got.Bounds(), want)
	}
}

// The image of a recording without a device is that of the middle, in its colours.
func TestTopicThumbnail(t *testing.T) {
	got := of(t, samplebag.Robot(t, "robot.bag"))
	if got == nil {
		t.Fatal("there is none")
	}
	if got.Bounds().Dx() != samplebag.RobotWidth || got.Bounds().Dy() != samplebag.RobotHeight {
		t.Fatalf("it is %v", got.Bounds())
	}
	bgr := samplebag.RobotPixel(samplebag.RobotSets/2, 10, 20)
	if c, want := color.NRGBAModel.Convert(got.At(10, 20)), (color.NRGBA{bgr[2], bgr[1], bgr[0], 255}); c != want {
		t.Errorf("a pixel is %v, want %v", c, want)
	}
}

// Depth is the image only if there is nothing else, and a recording without images has
// none.
func TestChosenTopic(t *testing.T) {
	type message struct {
		typ  string
		data []byte
	}
	depth := message{imageType, imageMessage("16UC1", 2, 1, 4, []byte{0, 1, 0, 2})}
	colour := message{compressedType, compressedMessage("bgr8; png compressed bgr8", imageOf(t, "png"))}
	bad := message{imageType, imageMessage("magic", 2, 1, 4, make([]byte, 4))}
	for name, c := range map[string]struct {
		topics []message
		width  int // 0 for no image
	}{
		"nothing": {nil, 0}, "depth": {[]message{depth}, 2}, "depth, colour": {[]message{depth, colour}, 3}, "unknown, depth": {[]message{bad, depth}, 2}, "unknown": {[]message{bad}, 0},
	} {
		path := filepath.Join(t.TempDir(), "walk.bag")
		w := samplebag.Create(t, path, bagstore.Options{})
		for i, m := range c.topics {
			w.Put(samplebag.Topic(string(rune('a'+i)), m.typ), samplebag.RobotStart, m.data)
		}
		w.Done()
		width := 0
		if p := of(t, path); p != nil {
			width = p.Bounds().Dx()
		}
		if width != c.width {
			t.Errorf("%s: an image %d wide, want %d", name, width, c.width)
		}
	}
}

// imageOf is a red image of 3 by 2 pixels in a format.
func imageOf(t testing.TB, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	p := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for i := range p.Pix {
		p.Pix[i] = []byte{200, 0, 0, 255}[i%4]
	}
	err := png.Encode(&b, p)
	if format == "jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, p, nil)
	}
	need.Must(t, err)
	return b.Bytes()
}

func compressedDepth(t testing.TB) []byte {
	t.Helper()
	p := imagetransport.Image{Encoding: "16UC1", Width: 2, Height: 1, Step: 4, Data: []byte{0, 4, 0, 0}}
	format, data, err := new(imagetransport.Encoder).CompressDepth(nil, p, imagetransport.DefaultDepthOptions("16UC1"))
	need.Must(t, err)
	return compressedMessage(format, data)
}

// Each form of an image becomes an image, and what is wrong with one is said.
func TestImagesOfMessages(t *testing.T) {
	near := nearness(1024)
	for name, c := range map[string]struct {
		decode func([]byte) (image.Image, bool, error)
		data   []byte
		want   color.NRGBA // of the first pixel; all zero for an error
	}{
		"rgb":              {decodeRaw, imageMessage("rgb8", 1, 1, 3, []byte{1, 2, 3}), color.NRGBA{1, 2, 3, 255}},
		"bgra":             {decodeRaw, imageMessage("bgra8", 1, 1, 4, []byte{1, 2, 3, 0}), color.NRGBA{3, 2, 1, 255}},
		"grey":             {decodeRaw, imageMessage("mono8", 2, 2, 3, []byte{7, 0, 0, 0, 0, 0}), color.NRGBA{7, 7, 7, 255}},
		"uyvy":             {decodeRaw, imageMessage("yuv422", 2, 1, 4, []byte{90, 81, 240, 81}), color.NRGBA{255, 0, 0, 255}},
		"metres":           {decodeRaw, imageMessage("32FC1", 1, 1, 4, floatBytes(1.024)), color.NRGBA{near, near, near, 255}},
		"not a number":     {decodeRaw, imageMessage("32FC1", 1, 1, 4, floatBytes(float32(math.NaN()))), color.NRGBA{0, 0, 0, 255}},
		"png":              {decodeCompressed, compressedMessage("png", imageOf(t, "png")), color.NRGBA{200, 0, 0, 255}},
		"compressed depth": {decodeCompressed, compressedDepth(t), color.NRGBA{near, near, near, 255}},
		"rows too short":   {decodeRaw, imageMessage("rgb8", 2, 1, 3, make([]byte, 6)), color.NRGBA{}},
		"rows missing":     {decodeRaw, imageMessage("mono8", 1, 9, 1, make([]byte, 8)), color.NRGBA{}},
		"too much claimed": {decodeRaw, imageMessage("mono8", 1<<31, 1<<31, 1<<31, make([]byte, 8)), color.NRGBA{}},
		"no image":         {decodeCompressed, compressedMessage("jpeg", []byte("no image")), color.NRGBA{}},
		"cut":              {decodeCompressed, compressedMessage("png", imageOf(t, "png")[:50]), color.NRGBA{}},
		"nothing":          {decodeRaw, nil, color.NRGBA{}},
	} {
		got, _, err := c.decode(c.data)
		switch {
		case (err == nil) != (c.want.A > 0):
			t.Errorf("%s: %v", name, err)
		case err == nil && got.At(0, 0) != c.want:
			t.Errorf("%s: %v, want %v", name, got.At(0, 0), c.want)
		}
	}
	if p, _, err := decodeCompressed(compressedMessage("jpeg", imageOf(t, "jpeg"))); err != nil || p.Bounds().Dx() != 3 {
		t.Errorf("a JPEG: %v", err)
	}
	p, _, err := decodeRaw(imageMessage("mono8", 1000, 3000, 1000, make([]byte, 3e6)))
	if err != nil || p.Bounds().Dx() > 2*thumbnailWidth || p.Bounds().Dy() > 3*thumbnailWidth {
		t.Errorf("a large image becomes %v, %v", p.Bounds(), err)
	}
}

func floatBytes(v float32) []byte {
	var e msgs.Encoder
	e.F32(v)
	return e.B
}

func FuzzTopicImage(f *testing.F) {
	f.Add(false, imageMessage("bgr8", 2, 2, 6, make([]byte, 12)))
	f.Add(false, imageMessage("32FC1", 1, 1, 4, floatBytes(1)))
	f.Add(true, compressedMessage("png", imageOf(f, "png")))
	f.Add(true, compressedMessage("jpeg", imageOf(f, "jpeg")))
	f.Add(true, compressedDepth(f))
	f.Fuzz(func(t *testing.T, compressed bool, data []byte) {
		decode := decodeRaw
		if compressed {
			decode = decodeCompressed
		}
		p, _, err := decode(data)
		if err == nil && (p.Bounds().Dx() > 2*thumbnailWidth || p.Bounds().Dy() > 4*thumbnailWidth) {
			t.Errorf("a thumbnail of %v", p.Bounds())
		}
	})
}
