package page

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/rig"
)

// room returns a scan of a room of 6 × 4 m from its middle, and its points.
func room() (scan, points []byte) {
	const n = 360
	ranges := make([]float32, n)
	head := msgs.PointCloudHead{Header: someHeader, Height: 1, PointStep: 16, Fields: []msgs.PointField{
		{Name: "x", Offset: 0, Datatype: msgs.PointFloat32, Count: 1}, {Name: "y", Offset: 4, Datatype: msgs.PointFloat32, Count: 1},
		{Name: "z", Offset: 8, Datatype: msgs.PointFloat32, Count: 1}, {Name: "intensity", Offset: 12, Datatype: msgs.PointFloat32, Count: 1},
	}}
	var xyz []float32
	for i := range ranges {
		a := -math.Pi + float64(i)*2*math.Pi/n
		d := min(3/math.Abs(math.Cos(a)), 2/math.Abs(math.Sin(a)))
		ranges[i] = float32(d)
		for z := range 8 {
			xyz = append(xyz, float32(d*math.Cos(a)), float32(d*math.Sin(a)), float32(z)*0.2, float32(z))
		}
	}
	head.Width = uint32(len(xyz) / 4)
	head.RowStep, head.DataLen = 16*head.Width, 16*head.Width
	scan = body(func(e *msgs.Encoder) {
		someHeader.Append(e)
		e.F32s([]float32{-math.Pi, math.Pi, 2 * math.Pi / n, 0, 0.1, 0.1, 30})
		e.Len(n)
		e.F32s(ranges)
		e.Len(0)
	})
	points = body(func(e *msgs.Encoder) { e.Message(&head); e.F32s(xyz); e.Bool(true) })
	return scan, points
}

// TestTopicTiles checks that the page shows messages of a graph without a camera: an image, depth, a
// scan, points, frames and a tree, with the published values.
func TestTopicTiles(t *testing.T) {
	scan, points := room()
	picture := make([]byte, 0, 3*64*48)
	depth := make([]byte, 0, 2*64*48)
	for y := range 48 {
		for x := range 64 {
			picture = append(picture, byte(4*x), byte(5*y), byte(255*((x/8+y/8)&1)))
			depth = binary.LittleEndian.AppendUint16(depth, uint16(500+20*x+10*y))
		}
	}
	typ := msgs.Type{Name: "turtlesim/Pose", Definition: "Header header\nfloat64 x\nfloat64 y\nfloat64[] covariance\nstring[] names\nfloat64 nothing\nbool moving\n" +
		strings.Repeat("=", 80) + "\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"}
	spec, err := msgs.Parse(typ.Name, typ.Definition)
	need.Must(t, err)
	typ.MD5 = spec.MD5()
	var covariance []string
	pose := body(func(e *msgs.Encoder) {
		header := msgs.Header{Seq: 4, Stamp: msgs.NewTime(1700000000, 5), FrameID: "world"}
		header.Append(e)
		e.F64(5.5)
		e.F64(-0.25)
		e.Len(98) // 34 more than are shown
		for i := range 98 {
			e.F64(float64(i) / 4)
			covariance = append(covariance, fmt.Sprint(float64(i)/4))
		}
		e.Len(2)
		e.String("a")
		e.String("b")
		e.F64(math.NaN())
		e.Bool(true)
	})
	m := rig.Master(t)
	n := rig.Node(t, m, "robot")
	for _, c := range []struct {
		topic string
		typ   msgs.Type
		body  []byte
	}{
		{"/camera/image", msgs.MustType("sensor_msgs/Image"), imageMessage("bgr8", 64, 48, false, picture)},
		{"/camera/depth", msgs.MustType("sensor_msgs/Image"), imageMessage("16UC1", 64, 48, false, depth)},
		{"/scan", msgs.MustType("sensor_msgs/LaserScan"), scan},
		{"/lidar", msgs.MustType("sensor_msgs/PointCloud2"), points},
		{"/tf", msgs.MustType("tf2_msgs/TFMessage"), transformMessage()},
		{"/turtle1/pose", typ, pose},
	} {
		p, err := n.Advertise(ros.PublisherOptions{Topic: c.topic, Type: c.typ, Latch: true})
		need.Must(t, err)
		p.Publish(msgs.Raw{Head: c.body})
	}
	url := startView(t, "--master", m.URI()) // ends after the tab, which would report it missing
	page := newTab(t)
	page.open(url)
	page.await(`window.viewer && ['/camera/image', '/camera/depth', '/scan', '/lidar', '/tf', '/turtle1/pose'].every((n) => [...viewer.store.views.value.values()].some((v) => v.info.name === n && v.frame))`)
	image, deep := page.streamID("/camera/image"), page.streamID("/camera/depth")
	tile := `[...document.querySelectorAll('figure')].find((f) => f.getAttribute('aria-label') === $1)`
	page.await(tile+`?.querySelector('.space-readout')?.textContent === $2`, "/scan", "360 of 360 ranges, up to 3.58 m")
	page.await(tile+`?.querySelector('.space-readout')?.textContent.startsWith('2,880 points of 2880 × 1')`, "/lidar")
	page.await(tile+`?.querySelectorAll('tbody tr').length === 5`, "/tf")
	got := eval[string](page, tile+`.querySelector('tbody').innerText.replace(/[\t\n]+/g, '|')`, "/tf")
	if want := "map|└ odom|4.000, 0.000, 0.000|0.0° 0.0° 90.0°|"; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("frames %q, want %q …", got, want)
	}
	page.await(tile+`?.querySelector('.tree .leaf')`, "/turtle1/pose")
	got = eval[string](page, `[...`+tile+`.querySelectorAll('.tree .leaf')].map((e) => e.querySelector('.name').textContent + '=' + e.querySelector('.value').textContent).join(';')`, "/turtle1/pose")
	if want := `seq=4;stamp=1700000000.000000005;frame_id="world";x=5.5;y=-0.25;covariance=[` + strings.Join(covariance[:64], ", ") + `, … 34 more];0="a";1="b";nothing=none;moving=true`; got != want {
		t.Errorf("tree %s, want %s", got, want)
	}
	page.await(`viewer.stage.value.textures.get(viewer.store.views.value.get($1)) && viewer.stage.value.textures.get(viewer.store.views.value.get($2))`, image, deep)
	if got := eval[[3]int](page, `Array.from(viewer.stage.value.textures.pixel(viewer.stage.value.textures.get(viewer.store.views.value.get($1)), 10, 20)).slice(0, 3)`, image); got != [3]int{40, 100, 255} {
		t.Errorf("pixel 10, 20 is %v", got) // blue, green, red: the texture has the message's order
	}
	if got := eval[int](page, `viewer.stage.value.textures.whole(viewer.stage.value.textures.get(viewer.store.views.value.get($1)))[4 * (20 * 64 + 10)]`, deep); got != 500+200+200 {
		t.Errorf("depth of pixel 10, 20 is %d", got)
	}
	page.await("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(true))))")
	page.screenshot("topics")
}
