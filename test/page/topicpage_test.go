package page

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rsros/msgs"
	"rsros/test/peer"
)

// topic is a topic of a graph with one message.
type topic struct {
	name, kind string
	json       bool // the program sends JSON
	body       []byte
}

// topicMessage returns a topic's message as the page gets it.
func topicMessage(stream int, t topic) []byte {
	const topicKind, codecJSON, codecROS = 3, 3, 5
	b := make([]byte, 48, 48+len(t.body))
	b[0], b[1] = topicKind, codecROS
	if t.json {
		b[1] = codecJSON
	}
	binary.LittleEndian.PutUint16(b[2:], uint16(stream))
	binary.LittleEndian.PutUint64(b[8:], 1)
	binary.LittleEndian.PutUint64(b[16:], uint64(time.Now().UnixNano()))
	binary.LittleEndian.PutUint64(b[24:], uint64(time.Now().UnixNano()))
	return append(b, t.body...)
}

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
	topics := []topic{
		{name: "/camera/image", kind: "sensor_msgs/Image", body: imageMessage("bgr8", 64, 48, false, picture)},
		{name: "/camera/depth", kind: "sensor_msgs/Image", body: imageMessage("16UC1", 64, 48, false, depth)},
		{name: "/scan", kind: "sensor_msgs/LaserScan", body: scan},
		{name: "/lidar", kind: "sensor_msgs/PointCloud2", body: points},
		{name: "/tf", kind: "tf2_msgs/TFMessage", body: transformMessage()},
		{name: "/turtle1/pose", kind: "turtlesim/Pose", json: true, body: []byte(`{"header":{"seq":4,"stamp":{"secs":1700000000,"nsecs":5},"frame_id":"world"},` +
			`"x":5.5,"y":-0.25,"covariance":[0.1,0.2,{"…":34}],"names":["a","b"],"nothing":null,"moving":true}`)},
	}
	var streams []object
	for i, c := range topics {
		streams = append(streams, object{"id": i, "kind": "topic", "name": c.name, "sensor": -1, "format": c.kind, "type": c.kind, "width": 0, "height": 0, "fps": 0})
	}
	page := newTab(t)
	program := startProgram(t, object{"kind": "graph", "name": "robot", "info": []any{}, "sensors": []any{}, "streams": streams})
	page.do(chromedp.Navigate(program.url))
	for i, c := range topics {
		peer.Await(t, "the page to subscribe to "+c.name, func() bool {
			return program.offer(i, false, func(string) []byte { return topicMessage(i, c) })
		})
	}
	page.await("[0, 1, 2, 3, 4, 5].every((i) => viewer.store.views.value.get(i)?.frame)")
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
	if want := `seq=4;stamp=1700000000.000000005;frame_id="world";x=5.5;y=-0.25;covariance=[0.1, 0.2, … 34 more];0="a";1="b";nothing=none;moving=true`; got != want {
		t.Errorf("tree %s, want %s", got, want)
	}
	page.await(`viewer.stage.value.textures.get(viewer.store.views.value.get(0))`)
	if got := eval[[3]int](page, `Array.from(viewer.stage.value.textures.pixel(viewer.stage.value.textures.get(viewer.store.views.value.get(0)), 10, 20)).slice(0, 3)`); got != [3]int{40, 100, 255} {
		t.Errorf("pixel 10, 20 is %v", got) // blue, green, red: the texture has the message's order
	}
	if got := eval[int](page, `viewer.stage.value.textures.whole(viewer.stage.value.textures.get(viewer.store.views.value.get(1)))[4 * (20 * 64 + 10)]`); got != 500+200+200 {
		t.Errorf("depth of pixel 10, 20 is %d", got)
	}
	page.await("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(true))))")
	page.screenshot("topics")
}
