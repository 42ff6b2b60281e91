package anonymise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	stdpng "image/png"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/tools/convert"
	"rsros/msgs"
	"rsros/msgs/imagetransport"
)

const (
	width, height = 32, 24
	sets          = 6
	start         = 1_700_000_000_000_000_000
)

// The box of the tests, in pixels.
var hiddenBox = image.Rect(8, 6, 20, 16)

func boxLine(topic string, set int) string {
	return fmt.Sprintf(`{"topic":%q,"stamp":%d,"boxes":[{"x":8,"y":6,"w":12,"h":10}]}`, topic, start+int64(set)*1000)
}

func photo(set int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		m.Set(i%width, i/width, color.NRGBA{byte(100 + 4*(i%width)), byte(90 + 5*(i/width)), byte(100 + 20*set), 255})
	}
	return m
}

func rawMessage(set int, encoding string, pixel int) []byte {
	var e msgs.Encoder
	(&msgs.ImageHead{Header: header(set), Width: width, Height: height, Encoding: encoding, Step: uint32(pixel * width), DataLen: uint32(pixel * width * height)}).Append(&e)
	for i := range pixel * width * height {
		e.U8(byte(50 + (i*7+set)%200))
	}
	return e.B
}

func header(set int) msgs.Header {
	return msgs.Header{Seq: uint32(set), Stamp: msgs.Time(start + int64(set)*1000), FrameID: "camera"}
}

func compressedMessage(set int, format string, data []byte) []byte {
	var e msgs.Encoder
	h := header(set)
	h.Append(&e)
	e.String(format)
	e.Bytes(data)
	return e.B
}

// topics are those of walk, with a function for their messages.
func topics(t testing.TB) map[string]func(set int) []byte {
	raw := func(encoding string, pixel int) func(int) []byte {
		return func(set int) []byte { return rawMessage(set, encoding, pixel) }
	}
	depth := func(kind string) func(int) []byte {
		return func(set int) []byte {
			o := imagetransport.DefaultDepthOptions("16UC1")
			o.Format = kind
			p := imagetransport.Image{Encoding: "16UC1", Width: width, Height: height, Step: 2 * width, Data: make([]byte, 2*width*height)}
			for i := range p.Data {
				p.Data[i] = byte(1 + (i/2+set)%100)
			}
			format, data, err := new(imagetransport.Encoder).CompressDepth(nil, p, o)
			if err != nil {
				t.Fatal(err)
			}
			return compressedMessage(set, format, data)
		}
	}
	return map[string]func(int) []byte{
		"/bgr": raw("bgr8", 3), "/depth": raw("16UC1", 2), "/yuyv": raw("yuyv", 2), "/untouched": raw("mono8", 1),
		"/jpeg": func(set int) []byte {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, photo(set), &jpeg.Options{Quality: 95}); err != nil {
				t.Fatal(err)
			}
			return compressedMessage(set, "bgr8; jpeg compressed bgr8", b.Bytes())
		},
		"/png": func(set int) []byte {
			var b bytes.Buffer
			if err := stdpng.Encode(&b, photo(set)); err != nil {
				t.Fatal(err)
			}
			return compressedMessage(set, "rgb8; png compressed bgr8", b.Bytes())
		},
		"/depth/png": depth(imagetransport.PNG), "/depth/rvl": depth(imagetransport.RVL),
		"/text": func(set int) []byte {
			var e msgs.Encoder
			e.String(fmt.Sprintf("set %d", set))
			return e.B
		},
	}
}

func typeOf(topic string) string {
	switch topic {
	case "/text":
		return "std_msgs/String"
	case "/jpeg", "/png", "/depth/png", "/depth/rvl":
		return "sensor_msgs/CompressedImage"
	}
	return "sensor_msgs/Image"
}

// walk writes a bag with images in many forms, and with text in chunks of its own.
func walk(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "walk.bag")
	w, err := bagstore.Create(path, bagstore.Options{NoSync: true, ChunkSize: 4 << 10, Compression: bagstore.LZ4})
	if err != nil {
		t.Fatal(err)
	}
	all := topics(t)
	ids := make(map[string]uint32)
	for topic := range all {
		typ := msgs.MustType(typeOf(topic))
		ids[topic], err = w.AddConnection(bagstore.Connection{Topic: topic, Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition, CallerID: "/camera", Latching: topic == "/text"})
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(topic string, data []byte, at int64) {
		if err := w.Write(ids[topic], bagstore.Time(at), data); err != nil {
			t.Fatal(err)
		}
	}
	for set := range sets {
		for topic, message := range all {
			write(topic, message(set), start+int64(set)*1000+500)
		}
	}
	for i := range 2000 {
		write("/text", all["/text"](i), start+1e6+int64(i))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

type stored struct {
	topic container.Topic
	time  bagstore.Time
	data  []byte
}

func messages(t testing.TB, path string) (list []stored) {
	t.Helper()
	b, topics, err := recording.OpenRaw(path, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for m, err := range b.View(bagstore.Query{}).Messages() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, stored{topics[m.Conn.ID], m.Time, slices.Clone(m.Data)})
	}
	return list
}

// pixels decodes an image with code independent of this package.
func pixels(t *testing.T, s stored) (p imagetransport.Image, lossy bool) {
	t.Helper()
	k := kindOf(s.topic.Type)
	m, err := parse(k, s.topic.Encoding, s.data)
	if err != nil {
		t.Fatal(err)
	}
	body := s.data[m.at:][:m.length]
	switch s.topic.Name {
	case "/jpeg", "/png":
		img, format, err := image.Decode(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		p = imagetransport.Image{Encoding: "rgba8", Width: width, Height: height, Step: 4 * width}
		for i := range width * height {
			r, g, b, a := img.At(i%width, i/width).RGBA()
			p.Data = append(p.Data, byte(r>>8), byte(g>>8), byte(b>>8), byte(a>>8))
		}
		return p, format == "jpeg"
	case "/depth/png", "/depth/rvl":
		p, err = imagetransport.DecompressDepth(m.head.Encoding, body)
		if err != nil {
			t.Fatal(err)
		}
		return p, false
	}
	return imagetransport.Image{Encoding: m.head.Encoding, Width: width, Height: height, Step: int(m.head.Step), Data: body}, false
}

// In each container, pixels in the boxes are black, and all other pixels, messages, topics and times are
// those of the input, in the same order.
func TestContainers(t *testing.T) {
	bag := walk(t)
	dir := t.TempDir()
	var lines []string
	for topic := range topics(t) {
		if typeOf(topic) == "std_msgs/String" || topic == "/untouched" {
			continue
		}
		for set := 1; set < sets; set++ { // the first has no line
			lines = append(lines, boxLine(topic, set))
		}
	}
	boxes := boxesFile(t, lines...)
	for name, ros := range map[string]int{"walk.bag": 0, "walk.db3": 0, "one.mcap": 1, "two.mcap": 2} {
		in, out := filepath.Join(dir, name), filepath.Join(dir, "public."+name)
		if name == "walk.bag" {
			in = bag
		} else if _, err := convert.Messages(t.Context(), convert.Options{In: bag, Out: in, ROS: ros}); err != nil {
			t.Fatal(err)
		}
		o := Options{In: in, Out: out, Boxes: boxes, Quality: 95}
		if name == "walk.bag" {
			o.Bag.Compression = bagstore.LZ4
		}
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Images != 7*(sets-1) || r.Boxes != r.Images || r.Left.Count+r.Unmatched.Count != 0 || len(r.Lost) != 0 || r.Without["/untouched"] != sets || r.Without["/bgr"] != 1 {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "walk.bag" && r.Whole == 0 {
			t.Error("no chunk without images was copied as it is stored")
		}
		compare(t, name, messages(t, in), messages(t, out))
	}
}

func compare(t *testing.T, name string, before, after []stored) {
	t.Helper()
	if len(before) != len(after) || len(before) != 9*sets+2000 {
		t.Fatalf("%s: %d messages, want %d", name, len(after), len(before))
	}
	changed := 0
	for i, b := range before {
		a := after[i]
		if !reflect.DeepEqual(a.topic, b.topic) || a.time != b.time {
			t.Fatalf("%s: message %d is %+v at %d, want %+v at %d", name, i, a.topic, a.time, b.topic, b.time)
		}
		if bytes.Equal(a.data, b.data) {
			continue
		}
		changed++
		if kindOf(b.topic.Type) == noImage || b.topic.Name == "/untouched" {
			t.Fatalf("%s: a message of %s was changed", name, b.topic.Name)
		}
		sameImage(t, name, b, a)
	}
	if changed != 7*(sets-1) {
		t.Errorf("%s: %d messages were changed", name, changed)
	}
}

func sameImage(t *testing.T, name string, before, after stored) {
	t.Helper()
	k := kindOf(before.topic.Type)
	m, err := parse(k, before.topic.Encoding, before.data)
	n, err2 := parse(k, before.topic.Encoding, after.data)
	if m.head.DataLen, n.head.DataLen = 0, 0; errors.Join(err, err2) != nil || m.head != n.head || m.at != n.at || !bytes.Equal(before.data[:m.at-4], after.data[:n.at-4]) {
		t.Fatalf("%s: the fields of an image of %s are %+v, want %+v, %v, %v", name, before.topic.Name, n.head, m.head, err, err2)
	}
	p, lossy := pixels(t, before)
	q, _ := pixels(t, after)
	pixel := p.Step / width
	for i := range p.Data {
		at := image.Pt(i%p.Step/pixel, i/p.Step)
		black := byte(0)
		if p.Encoding == "yuyv" && i%2 == 1 {
			black = 128
		} else if p.Encoding == "yuyv" {
			black = 16
		}
		tolerance := byte(0)
		if lossy {
			// JPEG's blocks of 8, and of 16 for colours, let a little of the box reach other pixels.
			if tolerance = 12; at.In(image.Rect(0, 0, width, height)) && at.In(image.Rect(0, 0, 32, 16)) {
				tolerance = 80
			}
		}
		want := p.Data[i]
		if at.In(hiddenBox) && !(p.Encoding == "rgba8" && i%4 == 3) {
			want = black
		}
		if d := max(want, q.Data[i]) - min(want, q.Data[i]); d > tolerance {
			t.Fatalf("%s: %s at %v is %d, want %d", name, before.topic.Name, at, q.Data[i], want)
		}
	}
}

// Lines without an image are listed, and an image whose box can't be hidden is left out.
func TestLinesAndImages(t *testing.T) {
	bag := walk(t)
	out := func() string { return filepath.Join(t.TempDir(), "out.bag") }
	o := Options{In: bag, Boxes: boxesFile(t,
		boxLine("/bgr", 2), boxLine("/bgr", 77), boxLine("/nowhere", 1), boxLine("/text", 1),
		fmt.Sprintf(`{"topic":"/depth","time":"%d.%09d","boxes":[]}`, int64(start/1_000_000_000), 3500),
		fmt.Sprintf(`{"topic":"/yuyv","stamp":%d,"boxes":[{"x":100,"y":0,"w":9,"h":9}]}`, int64(start+1000)))}
	o.Out = out()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"line 2, /bgr, stamp 1700000000.000077000: the topic has no such image",
		"line 3, /nowhere, stamp 1700000000.000001000: the recording has no such topic",
		"line 4, /text, stamp 1700000000.000001000: the topic has messages of type std_msgs/String",
	}
	if r.Unmatched.Count != 3 || !slices.Equal(r.Unmatched.First, want) {
		t.Errorf("lines without an image: %q", r.Unmatched.First)
	}
	if r.Left.Count != 1 || !strings.Contains(r.Left.First[0], "/yuyv at 1700000000.000001500: a box from 100, 0 to 109, 9 outside of the image of 32x24") {
		t.Errorf("left out: %+v", r.Left)
	}
	if r.Images != 1 || r.Empty != 1 || r.Messages != 9*sets+2000-1 {
		t.Errorf("%+v", r)
	}
	if n := count(messages(t, o.Out), "/yuyv"); n != sets-1 {
		t.Errorf("%d images of /yuyv, want all but one", n)
	}

	o.Out, o.Require = out(), []string{"/bgr"}
	if _, err := Run(t.Context(), o); !errors.Is(err, ErrRequired) {
		t.Errorf("an image without a line: %v", err)
	}
	if _, err := os.Stat(o.Out); err == nil {
		t.Error("there is an output")
	}
	o.Require = []string{"/text"}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no images") {
		t.Errorf("a required topic without images: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{In: bag, Out: o.Out, Boxes: o.Boxes}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if err := convert.Misnamed(recording.Bag, "x.mcap"); err == nil {
		t.Error("a bag may become an .mcap")
	}
}

func count(list []stored, topic string) (n int) {
	for _, m := range list {
		if m.topic.Name == topic {
			n++
		}
	}
	return n
}

// JPEG and PNG of all kinds keep their kind; damaged and unknown ones are errors.
func TestCompressed(t *testing.T) {
	gray16 := image.NewGray16(image.Rect(0, 0, width, height))
	paletted := image.NewPaletted(gray16.Rect, color.Palette{color.White, color.NRGBA{9, 8, 7, 100}})
	clear := image.NewNRGBA(gray16.Rect)
	for i := range clear.Pix {
		clear.Pix[i] = byte(i)
	}
	for i := range gray16.Pix {
		gray16.Pix[i] = byte(i)
	}
	box := []box{{8, 6, 20, 16}}
	for name, c := range map[string]struct {
		in, out image.Image
	}{
		"grey": {image.NewGray(gray16.Rect), &image.Gray{}}, "16 bits": {gray16, &image.Gray16{}}, "opacity": {clear, &image.NRGBA{}},
		"64 bits": {image.NewRGBA64(gray16.Rect), &image.NRGBA64{}}, "palette": {paletted, &image.NRGBA{}}, "colour": {photo(1), &image.RGBA{}},
	} {
		var b bytes.Buffer
		if err := stdpng.Encode(&b, c.in); err != nil {
			t.Fatal(err)
		}
		e := editor{style: Mask, quality: 90}
		data, err := e.compressed("png", b.Bytes(), box)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := stdpng.Decode(bytes.NewReader(data))
		if err != nil || reflect.TypeOf(got) != reflect.TypeOf(c.out) {
			t.Errorf("%s: %T, %v, want %T", name, got, err, c.out)
			continue
		}
		for i := range width * height {
			x, y := i%width, i/width
			model := color.NRGBA64Model
			before, after := model.Convert(c.in.At(x, y)).(color.NRGBA64), model.Convert(got.At(x, y)).(color.NRGBA64)
			if image.Pt(x, y).In(hiddenBox) {
				before.R, before.G, before.B = 0, 0, 0
			}
			if after != before && after.A > 0 {
				t.Fatalf("%s: %d, %d is %v, want %v", name, x, y, after, before)
			}
		}
	}
	var grey bytes.Buffer
	if err := jpeg.Encode(&grey, image.NewGray(gray16.Rect), nil); err != nil {
		t.Fatal(err)
	}
	e := editor{style: Blur, quality: 90}
	data, err := e.compressed("jpeg", grey.Bytes(), box)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := jpeg.Decode(bytes.NewReader(data)); err != nil || reflect.TypeOf(m) != reflect.TypeFor[*image.Gray]() {
		t.Errorf("a grey JPEG is %T, %v", m, err)
	}
	huge := slices.Clone(grey.Bytes())
	at := bytes.Index(huge, []byte{0xff, 0xc0})
	copy(huge[at+5:], "\xff\xff\xff\xff")
	for name, data := range map[string][]byte{"cut": grey.Bytes()[:100], "huge": huge, "text": []byte("no image"), "nothing": nil} {
		if _, err := e.compressed("jpeg", data, box); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, format := range []string{"16UC1; compressedDepth png", "16UC1; compressedDepth rvl"} {
		for _, data := range [][]byte{nil, make([]byte, 20), append(make([]byte, 12), "\xff\xff\xff\x7f\xff\xff\xff\x7f"...)} {
			if _, err := e.compressed(format, data, box); err == nil {
				t.Errorf("%s of %d bytes: no error", format, len(data))
			}
		}
	}
}

// Colours of a JPEG are hidden however many pixels share them.
func TestSharedColours(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410} {
		m := image.NewYCbCr(image.Rect(0, 0, 31, 23), ratio)
		for _, plane := range [][]byte{m.Y, m.Cb, m.Cr} {
			for i := range plane {
				plane[i] = 77
			}
		}
		hideYCbCr(m, Mask, []region{{9, 7, 31, 20}})
		for i := range 31 * 23 {
			x, y := i%31, i/31
			c, in := m.YCbCrAt(x, y), image.Pt(x, y).In(image.Rect(9, 7, 31, 20))
			if in && c != (color.YCbCr{0, 128, 128}) || !in && c.Y != 77 {
				t.Fatalf("%v: %d, %d is %v", ratio, x, y, c)
			}
		}
		if c := m.YCbCrAt(0, 0); c != (color.YCbCr{77, 77, 77}) {
			t.Errorf("%v: far from the box is %v", ratio, c)
		}
	}
}

func FuzzMessage(f *testing.F) {
	for topic, message := range topics(f) {
		if k := kindOf(typeOf(topic)); k != noImage {
			f.Add(byte(k), false, message(0), 1.0, 2.0, 9.0, 9.0)
		}
	}
	f.Add(byte(rawImage), true, []byte{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 'm', 'o', 'n', 'o', '8', 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 7}, 0.0, 0.0, 1.0, 1.0)
	f.Fuzz(func(t *testing.T, k byte, ros2 bool, data []byte, left, top, right, bottom float64) {
		if !(left < right && top < bottom && left > -1e6 && top > -1e6 && right < 1e6 && bottom < 1e6) {
			return
		}
		encoding := container.ROS1
		if ros2 {
			encoding = container.CDR
		}
		of := rawImage + kind(k%2)
		m, err := parse(of, encoding, data)
		if err != nil {
			return
		}
		for _, style := range []Style{Mask, Blur, Pixelate} {
			before := slices.Clone(data)
			e := editor{style: style, quality: 80}
			out, err := e.hide(of, m, data, []box{{left, top, right, bottom}})
			if !bytes.Equal(data, before) {
				t.Fatal("the input was changed")
			}
			if err != nil {
				return
			}
			if n, err := parse(of, encoding, out); err != nil || n.at != m.at || n.head.Width != m.head.Width || of == rawImage && len(out) != len(data) {
				t.Fatalf("%s: %+v, %v, want %+v", style, n, err, m)
			}
		}
	})
}
