package page

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"testing"

	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/test/need"
)

var someHeader = msgs.Header{Seq: 7, Stamp: msgs.NewTime(1700000000, 123456789), FrameID: "/some_frame"}

// body makes a message of what f appends.
func body(f func(*msgs.Encoder)) []byte {
	var e msgs.Encoder
	f(&e)
	return e.B
}

func imageMessage(encoding string, width, height int, bigEndian bool, data []byte) []byte {
	h := msgs.ImageHead{
		Header: someHeader, Width: uint32(width), Height: uint32(height), Encoding: encoding, BigEndian: bigEndian,
		Step: uint32(len(data) / height), DataLen: uint32(len(data)),
	}
	return body(func(e *msgs.Encoder) { h.Append(e); e.Raw(data) })
}

func compressedMessage(format string, data []byte) []byte {
	return body(func(e *msgs.Encoder) { someHeader.Append(e); e.String(format); e.Bytes(data) })
}

// inPage returns an expression for bytes in the page.
func inPage(b []byte) string {
	return fmt.Sprintf("Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))", base64.StdEncoding.EncodeToString(b))
}

// TestTopics decodes ROS messages in the page.
func TestTopics(t *testing.T) {
	p := openModules(t)
	for name, test := range map[string]func(*testing.T, *modules){
		"encodings": testImageEncodings, "depth": testCompressedDepth, "messages": testMessages, "damage": testDamagedMessages,
	} {
		t.Run(name, func(t *testing.T) { test(t, p.in(t)) })
	}
}

// testImageEncodings checks the colour of the first pixel of an image of each encoding.
func testImageEncodings(t *testing.T, p *modules) {
	for _, c := range []struct {
		encoding string
		big      bool
		data     []byte // 2×2
		want     [4]int
	}{
		{"rgb8", false, []byte{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}, [4]int{1, 2, 3, 255}},
		{"bgr8", false, []byte{1, 2, 3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 9}, [4]int{3, 2, 1, 255}}, // rows of 8 bytes
		{"rgba8", false, []byte{1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, [4]int{1, 2, 3, 4}},
		{"bgra8", false, []byte{1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, [4]int{3, 2, 1, 4}},
		{"8UC3", false, []byte{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}, [4]int{3, 2, 1, 255}},
		{"rgb16", false, []byte{0, 1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, [4]int{1, 2, 3, 255}},
		{"bgr16", true, []byte{1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, [4]int{3, 2, 1, 255}},
		{"mono8", false, []byte{77, 0, 0, 0}, [4]int{77, 77, 77, 255}},
		{"8UC1", false, []byte{77, 0, 0, 0}, [4]int{77, 77, 77, 255}},
		{"mono16", false, []byte{0, 4, 0, 1, 0, 0, 0, 2}, [4]int{255, 255, 255, 255}},
		{"16UC1", true, []byte{4, 0, 1, 0, 0, 0, 2, 0}, [4]int{255, 255, 255, 255}},
		{"16SC1", false, []byte{0xff, 0xff, 5, 0, 1, 0, 0, 0}, [4]int{31, 31, 31, 255}}, // -1 is the minimum
		{"32SC1", false, []byte{9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, [4]int{255, 255, 255, 255}},
		{"32FC1", false, floats(3, 1, float32(math.NaN()), 2), [4]int{255, 255, 255, 255}},
		{"32FC1", false, floats(float32(math.NaN()), 1, 2, 3), [4]int{0, 0, 0, 255}},
		{"bayer_rggb8", false, []byte{10, 20, 40, 30}, [4]int{10, 30, 30, 255}},
		{"bayer_bggr8", false, []byte{10, 20, 40, 30}, [4]int{30, 30, 10, 255}},
		{"bayer_gbrg8", false, []byte{10, 20, 40, 30}, [4]int{40, 20, 20, 255}},
		{"bayer_grbg8", false, []byte{10, 20, 40, 30}, [4]int{20, 20, 40, 255}},
		{"bayer_rggb16", false, []byte{0, 10, 0, 20, 0, 40, 0, 30}, [4]int{10, 30, 30, 255}},
		{"yuv422", false, []byte{128, 235, 128, 16, 128, 16, 128, 16}, [4]int{255, 255, 255, 255}},
		{"yuv422_yuy2", false, []byte{81, 90, 81, 240, 16, 128, 16, 128}, [4]int{255, 0, 0, 255}},
	} {
		got := eval[[4]int](p.tab, "Array.from(m.painted.paint(m.image.readImage("+inPage(imageMessage(c.encoding, 2, 2, c.big, c.data))+")).rgba.subarray(0, 4))")
		for i := range got {
			if d := got[i] - c.want[i]; d < -1 || d > 1 {
				t.Errorf("%s (big-endian %v): %v, want %v", c.encoding, c.big, got, c.want)
				break
			}
		}
	}
}

func floats(values ...float32) []byte {
	return body(func(e *msgs.Encoder) { e.F32s(values) })
}

// testCompressedDepth checks that depth survives each compressed form.
func testCompressedDepth(t *testing.T, p *modules) {
	const width, height = 37, 21
	var e msgs.Encoder
	for i := range width * height {
		v := uint16(0)
		if i%7 > 1 {
			v = uint16(500 + 13*i%4000)
		}
		e.U16(v)
	}
	for _, form := range []string{"png", "rvl"} {
		o := imagetransport.DefaultDepthOptions("16UC1")
		o.Format = form
		var enc imagetransport.Encoder
		format, data, err := enc.CompressDepth(nil, imagetransport.Image{Width: width, Height: height, Step: 2 * width, Encoding: "16UC1", Data: e.B}, o)
		need.Must(t, err)
		message := inPage(compressedMessage(format, data))
		got := eval[string](p.tab, `m.compressed.unpackDepth(m.compressed.readCompressed(`+message+`)).then((i) =>
			btoa(String.fromCharCode(...i.data)))`)
		if got != base64.StdEncoding.EncodeToString(e.B) {
			t.Errorf("%s: other values", format)
		}
	}
}

// cloudMessage has three points, one of which isn't a number.
func cloudMessage() []byte {
	h := msgs.PointCloudHead{Header: someHeader, Height: 1, Width: 3, PointStep: 20, RowStep: 60, DataLen: 60, Fields: []msgs.PointField{
		{Name: "x", Offset: 0, Datatype: msgs.PointFloat32, Count: 1}, {Name: "y", Offset: 4, Datatype: msgs.PointFloat32, Count: 1},
		{Name: "z", Offset: 8, Datatype: msgs.PointFloat32, Count: 1}, {Name: "rgb", Offset: 16, Datatype: msgs.PointFloat32, Count: 1},
	}}
	nan := float32(math.NaN())
	return body(func(e *msgs.Encoder) {
		e.Message(&h)
		for _, p := range [][3]float32{{1, 2, 3}, {nan, 0, 1}, {-4, 5.5, 6}} {
			e.F32s(p[:])
			e.U32(0)
			e.U32(0x00ff8000)
		}
		e.Bool(true)
	})
}

func scanMessage() []byte {
	return body(func(e *msgs.Encoder) {
		someHeader.Append(e)
		e.F32s([]float32{-math.Pi / 2, math.Pi / 2, math.Pi / 2, 0, 0.1, 0.2, 8})
		e.Len(3)
		e.F32s([]float32{2, 0.1, 4}) // the second is too near
		e.Len(0)
	})
}

func transformMessage() []byte {
	tf := func(parent, child string, x float64) msgs.TransformStamped {
		return msgs.TransformStamped{
			Header: msgs.Header{Stamp: someHeader.Stamp, FrameID: parent}, ChildFrameID: child,
			Transform: msgs.Transform{Translation: msgs.Vector3{X: x}, Rotation: msgs.Quaternion{Z: math.Sqrt2 / 2, W: math.Sqrt2 / 2}},
		}
	}
	m := msgs.TFMessage{Transforms: []msgs.TransformStamped{tf("odom", "base", 1), tf("/base", "/wheel_b", 2), tf("base", "wheel_a", 3), tf("map", "odom", 4)}}
	return body(func(e *msgs.Encoder) { e.Message(&m) })
}

// testMessages checks that points, scans and transforms are decoded as written.
func testMessages(t *testing.T, p *modules) {
	points := eval[[]float64](p.tab, `(() => {
		const p = m.pointcloud.pointValues(m.pointcloud.readPointCloud(`+inPage(cloudMessage())+`))
		return Array.from(p.values, (v) => Math.round(v * 1000) / 1000)
	})()`)
	if want := []float64{1, 2, 3, 1, 0.502, 0, 1, -4, 5.5, 6, 1, 0.502, 0, 1}; !slices.Equal(points, want) {
		t.Errorf("points %v, want %v", points, want)
	}
	scan := eval[[]float64](p.tab, `Array.from(m.scan.scanPoints(m.scan.readScan(`+inPage(scanMessage())+`)), (v) => Math.round(v * 1000) / 1000)`)
	if want := []float64{0, -2, 0, 4}; len(scan) != 4 || scan[1] != want[1] || scan[3] != want[3] || scan[0] != 0 || math.Abs(scan[2]) > 0.001 {
		t.Errorf("scan %v, want %v", scan, want)
	}
	rows := eval[[]string](p.tab, `(() => {
		const tree = new m.tf.FrameTree()
		tree.take(m.tf.readTransforms(`+inPage(transformMessage())+`))
		return tree.rows().map((r) => r.depth + ' ' + r.frame + (r.transform ? ' ' + r.transform.translation[0] + ' ' + m.tf.eulerText(r.transform.rotation) : ''))
	})()`)
	if want := []string{"0 map", "1 odom 4 0.0° 0.0° 90.0°", "2 base 1 0.0° 0.0° 90.0°", "3 wheel_a 3 0.0° 0.0° 90.0°", "3 wheel_b 2 0.0° 0.0° 90.0°"}; !slices.Equal(rows, want) {
		t.Errorf("frames %q, want %q", rows, want)
	}
	head := eval[string](p.tab, `(() => {
		const h = new m.reader.Reader(`+inPage(scanMessage())+`).header()
		return h.seq + ' ' + h.stamp + ' ' + h.frame
	})()`)
	if want := "7 1700000000123456789 /some_frame"; head != want {
		t.Errorf("header %s, want %s", head, want)
	}
}

// testDamagedMessages checks that a truncated message is rejected, and that one with any bytes changed
// is rejected or decoded, but never beyond its end.
func testDamagedMessages(t *testing.T, p *modules) {
	rvl := compressedMessage("16UC1; compressedDepth rvl", append(make([]byte, 12), 4, 0, 0, 0, 4, 0, 0, 0, 0x45, 0xf3, 0x8a, 0x23, 0x00, 0x10, 0x2c, 0x91))
	for _, c := range []struct {
		name, read string
		message    []byte
	}{
		{"image", "(b) => m.painted.paint(m.image.readImage(b))", imageMessage("bgr8", 3, 2, false, make([]byte, 18))},
		{"bayer", "(b) => m.painted.paint(m.image.readImage(b))", imageMessage("bayer_rggb8", 3, 3, false, make([]byte, 9))},
		{"cloud", "(b) => m.pointcloud.pointValues(m.pointcloud.readPointCloud(b))", cloudMessage()},
		{"scan", "(b) => m.scan.scanPoints(m.scan.readScan(b))", scanMessage()},
		{"transforms", "(b) => m.tf.readTransforms(b)", transformMessage()},
		{"depth", "(b) => m.compressed.unpackDepth(m.compressed.readCompressed(b))", rvl},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := eval[struct {
				Read  []int // lengths at which a part of the message was decoded
				Other []string
			}](p.in(t).tab, `(async () => {
				const read = `+c.read+`, whole = `+inPage(c.message)+`
				const out = { Read: [], Other: [] }
				const attempt = async (b) => {
					try {
						await read(b)
						return true
					} catch (e) {
						if (!(e instanceof RangeError)) out.Other.push(String(e.stack))
						return false
					}
				}
				if (!await attempt(whole)) out.Other.push('the whole message is refused')
				for (let n = 0; n < whole.length; n++) if (await attempt(whole.slice(0, n))) out.Read.push(n)
				let seed = 1
				const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) % n
				for (let i = 0; i < 3000; i++) {
					const b = whole.slice()
					for (let k = 1 + random(4); k > 0; k--) b[random(b.length)] = [0, 1, 255, random(256)][random(4)]
					await attempt(b)
				}
				return out
			})()`)
			for _, n := range got.Read {
				if n < len(c.message)-8 { // the last bytes may be unused
					t.Errorf("the first %d of %d bytes were read as a message", n, len(c.message))
				}
			}
			if len(got.Other) > 0 {
				t.Errorf("%d errors that aren't of the message: %s", len(got.Other), got.Other[0])
			}
		})
	}
}
