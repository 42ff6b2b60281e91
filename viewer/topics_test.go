package viewer

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/visitor"
	"rsros/viewer/api"
)

// messageOf returns the next message of a topic, and gives credit for it.
func messageOf(t *testing.T, v *visitor.Viewer, id uint16) (api.Head, []byte) {
	t.Helper()
	m := v.Await(func(m visitor.Message) bool { return m.Fields == nil && m.Head.Stream == id })
	return m.Head, m.Body
}

// tree returns the next message of a topic that is sent as a tree.
func tree(t *testing.T, v *visitor.Viewer, id uint16) object {
	t.Helper()
	h, body := messageOf(t, v, id)
	var m object
	if err := json.Unmarshal(body, &m); h.Kind != api.Topic || h.Codec != api.JSON || err != nil {
		t.Fatalf("%+v with %.200q: %v", h, body, err)
	}
	return m
}

// contents returns the messages of a bag's topic by time.
func contents(t *testing.T, path, topic string) map[bagstore.Time][]byte {
	t.Helper()
	bag := samplebag.Open(t, path)
	v := bag.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == topic }})
	it := v.Iterator()
	defer it.Close()
	all := map[bagstore.Time][]byte{}
	for it.Next() {
		all[it.Message().Time] = bytes.Clone(it.Message().Data)
	}
	return all
}

// A viewer of a recording without a camera: its topics, their messages byte for byte or as trees, what
// was latched before the viewer connected, every transform, and seeking to each set.
func TestTopics(t *testing.T) {
	robot := samplebag.Robot(t, "robot.bag")
	_, v, hello := start(t, Options{}, robot)
	source := hello["source"].(object)
	if source["kind"] != "file" || hello["record"] != nil || source["start"] != "1700000000000000000" || source["end"] != "1700000001900000000" {
		t.Fatalf("hello %v", hello)
	}
	ids := streams(source)
	for _, s := range source["streams"].([]any) {
		if s := s.(object); s["kind"] != "topic" || s["sensor"] != -1.0 || s["type"] == "" || s["type"] != s["format"] {
			t.Errorf("stream %v", s)
		}
	}
	v.Must("pause", nil)

	// Messages from before the viewer connected are sent again, including all transforms.
	v.Subscribe(ids["/map"])
	if m := tree(t, v, ids["/map"]); m["data"] != "here be dragons" {
		t.Errorf("the map is %v", m)
	}
	v.Subscribe(ids["/tf_static"])
	frames := map[string]bool{}
	for len(frames) < 3 {
		var m msgs.TFMessage
		if _, body := messageOf(t, v, ids["/tf_static"]); msgs.Unmarshal(body, &m) != nil {
			t.Fatalf("%q is no transform", body)
		}
		frames[m.Transforms[0].ChildFrameID] = true
	}

	v.Must("seek", object{"time": "1700000000000000000"}) // the first message counts
	v.Subscribe(ids["/camera/image"])
	v.Subscribe(ids["/battery"])
	images := contents(t, robot, "/camera/image")
	see := func(set int) {
		t.Helper()
		at := samplebag.RobotStart + bagstore.Time(set)*samplebag.RobotStep
		for {
			h, body := messageOf(t, v, ids["/camera/image"])
			if h.Codec != api.Message || !bytes.Equal(body, images[bagstore.Time(h.Time)]) {
				t.Fatalf("%+v with %d bytes isn't the bag's", h, len(body))
			}
			if bagstore.Time(h.Time) == at {
				return
			}
		}
	}
	see(0)
	battery := tree(t, v, ids["/battery"])
	if cells := battery["cells"].([]any); battery["state"] != "set 0" || battery["voltage"] != 24.0 || len(cells) != 65 || cells[64].(object)["…"] != 36.0 || cells[1] != 3701.0 {
		t.Errorf("the battery is %v", battery)
	}
	v.Must("seek", object{"time": "1700000000777777777"})
	see(7)
	v.Must("step", object{"sets": 2})
	see(9)
	v.Must("step", object{"sets": -3})
	see(6)
	for op, fields := range map[string]object{
		"option": {"sensor": 0, "option": "Exposure", "value": 1}, "rate": {"rate": 1000}, "range": {"range": []string{"5", "1"}}, "seek": {"set": 1},
		"step": {"sets": 1 << 30}, "record.start": {}, "record.stop": {}, "record.pause": {}, "record.split": {},
	} {
		if m, ok := v.Ask(op, fields); ok {
			t.Errorf("%s: %v", op, m)
		}
	}
	v.Must("rate", object{"rate": 100})
	v.Must("range", object{"range": []string{"1700000000100000000", "1700000000400000000"}})
	v.Must("play", nil)
	for st := v.Text("state"); st["round"].(float64) < 2; st = v.Text("state") {
		if r := st["range"].([]any); r[0] != "1700000000100000000" || st["loop"] != true {
			t.Fatalf("state %v", st)
		}
	}
	v.Must("range", object{"range": nil})
	v.Must("loop", object{"on": false})
	for st := v.Text("state"); st["ended"] != true; st = v.Text("state") { //nolint:revive // waits for the end
	}
	// A later viewer gets the messages of the position at the end, although time goes on.
	late := visitor.DialViewer(t, v.Page)
	ids = streams(late.Text("hello")["source"])
	late.Subscribe(ids["/map"])
	tree(t, late, ids["/map"])
	if st := visitor.DialViewer(t, v.Page).Text("hello")["state"].(object); st["position"] != source["end"] || st["ended"] != true {
		t.Errorf("after the end at %v: %v", source["end"], st)
	}
	v.Must("rate", object{"rate": 0.01})
	v.Must("play", nil) // restarts
	if st := v.Text("state"); st["ended"] != false || st["playing"] != true {
		t.Errorf("played again: %v", st)
	}
	v.Must("open", object{"device": "sim"})
}

// A viewer that gives no credit gets two messages of a topic; the newest of those left out waits, and
// all are counted.
func TestTopicCounts(t *testing.T) {
	_, v, hello := start(t, Options{}, samplebag.Robot(t, "robot.bag"))
	battery, moving := streams(hello["source"])["/battery"], streams(hello["source"])["/tf"]
	v.Must("pause", nil)
	v.Must("seek", object{"time": "0"})
	v.Subscribe(battery)
	v.Subscribe(moving)
	seen := map[uint16]int{}
	for seen[battery] < 1 || seen[moving] < 1 { // the position is shown again
		seen[v.Frame().Head.Stream]++
	}
	v.Must("step", object{"sets": 1})
	for seen[battery] < 2 { // before others can replace it
		seen[v.Frame().Head.Stream]++
	}
	v.Must("step", object{"sets": samplebag.RobotSets - 1})
	counts := func(of uint16) object {
		for _, c := range v.Text("counts")["streams"].([]any) {
			if c := c.(object); c["id"] == float64(of) {
				return c
			}
		}
		return nil
	}
	// All sets, and what was shown again, except the one that waits.
	const given = samplebag.RobotSets + 1
	for c := counts(battery); c == nil || c["sent"] != 2.0 || c["given"] != float64(given) || c["skipped"] != float64(given-3); c = counts(battery) { //nolint:revive // waits
	}
	v.Credit(battery, 2)
	for v.Early = nil; ; {
		if h := v.Frame().Head; h.Stream == battery {
			if h.Sequence == 3 && h.Skipped == given-3 && h.Number == given {
				break
			}
			t.Fatalf("after the credit came %+v", h)
		}
	}
	// Transforms aren't left out while there are few.
	for h := (api.Head{}); h.Number < given; h, _ = messageOf(t, v, moving) {
		v.Credit(moving, 1+h.Sequence)
	}
	for c := counts(moving); c["sent"] != float64(given) || c["skipped"] != 0.0; c = counts(moving) { //nolint:revive // waits
	}
}

// The types that the program sends unchanged are those that the page decodes.
func TestDecodedTypes(t *testing.T) {
	source, err := os.ReadFile("./page/src/topics/decode.ts")
	need.Must(t, err)
	_, list, _ := strings.Cut(string(source), "export const kinds")
	list, _, _ = strings.Cut(list, "\n}")
	var page []string
	for _, m := range regexp.MustCompile(`'([a-z0-9_]+/\w+)':`).FindAllStringSubmatch(list, -1) {
		page = append(page, m[1])
	}
	if !slices.Equal(page, decodedTypes) {
		t.Errorf("the page decodes %q, the program sends %q", page, decodedTypes)
	}
}

// A message that can't be converted to a tree says why, and the size is bounded.
func TestTree(t *testing.T) {
	tree := func(definition string, data []byte) string {
		m := newTopic(nil, "/t", msgs.Type{Name: "a/B", Definition: definition}, new(msgs.Cache[*msgs.Spec])).message([][]byte{data[:len(data)/2], data[len(data)/2:]}, 0, nil)
		return string(m.asTree())
	}
	long := msgs.Marshal(&msgs.String{Data: strings.Repeat("x", maxTree)})
	for definition, want := range map[string]string{"uint8 a": `{"a":0}`, "no such type": "error", "float64[3] a": "error"} {
		if got := tree(definition, []byte{0}); !strings.Contains(got, want) || !json.Valid([]byte(got)) {
			t.Errorf("%q: %s, want %s", definition, got, want)
		}
	}
	if got := tree("string data", long); !strings.Contains(got, errLargeTree.Error()) || len(got) > 200 {
		t.Errorf("a tree of %d bytes", len(got))
	}
}
