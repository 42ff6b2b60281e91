package rules

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/recording"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/convert"
)

// message is one of a recording that a test makes.
type message struct {
	topic, caller string
	at, stamp     time.Duration // from the start
	seq           uint32
	frame         string
}

const (
	start    = bagstore.Time(1_700_000_000e9)
	imu      = "/imu/data"
	imuType  = "sensor_msgs/Imu"
	chatter  = "/chatter"
	textType = "std_msgs/String"
)

// good are two seconds of a topic with a header at 100 Hz and of one without at 10 Hz.
func good() (list []message) {
	for i := range 200 {
		at := time.Duration(i) * 10 * time.Millisecond
		list = append(list, message{imu, "/imu_driver", at, at - 5*time.Millisecond, uint32(i), "imu"})
		if i%10 == 0 {
			list = append(list, message{topic: chatter, caller: "/talker", at: at})
		}
	}
	return list
}

// write writes messages in a bag.
func write(t *testing.T, path string, list []message, compression bagstore.Compression) {
	t.Helper()
	w := samplebag.Create(t, path, bagstore.Options{Compression: compression, ChunkSize: 8 << 10})
	for _, m := range list {
		typ := textType
		var e msgs.Encoder
		if m.topic == imu {
			typ = imuType
			h := msgs.Header{Seq: m.seq, Stamp: msgs.Time(start.Add(m.stamp)), FrameID: m.frame}
			h.Append(&e)
			e.Raw(make([]byte, 37*8))
		} else {
			e.String("hello")
		}
		c := samplebag.Topic(m.topic, typ)
		c.CallerID = m.caller
		w.Put(c, start.Add(m.at), e.B)
	}
	w.Done()
}

// measure reads a recording as the command check does.
func measure(t *testing.T, path string) *Measures {
	t.Helper()
	bag, err := recording.Open(path, bagstore.OpenOptions{Sequential: true})
	need.Must(t, err)
	defer bag.Close()
	m := NewMeasures(bag)
	rep, err := recording.Check(t.Context(), bag, bagstore.CheckOptions{Message: m.Message})
	need.Must(t, err)
	m.OutOfOrder = rep.OutOfOrder
	if rsbag.IsRecording(bag) {
		layout, err := rsbag.NewChecker(bag)
		need.Must(t, err)
		defer layout.Close()
		rep := layout.Report()
		m.RealSense, m.LostFrames = rep.Damaged == 0, rep.Missing
	}
	return m
}

func parse(t *testing.T, text string) *Set {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}

// failures returns the text of what fails, "" if nothing does.
func failures(s *Set, m *Measures) string {
	rep := s.Evaluate(m)
	if len(rep.Failed) == 0 {
		return ""
	}
	var b bytes.Buffer
	rep.WriteText(&b)
	return b.String()
}

// without leaves out the messages of a topic from one time to another.
func without(topic string, from, to time.Duration) func([]message) []message {
	return func(list []message) (kept []message) {
		for _, m := range list {
			if m.topic != topic || m.at < from || m.at >= to {
				kept = append(kept, m)
			}
		}
		return kept
	}
}

// change changes the messages of the IMU from one time on.
func change(from time.Duration, do func(*message)) func([]message) []message {
	return func(list []message) []message {
		for i := range list {
			if list[i].topic == imu && list[i].at >= from {
				do(&list[i])
			}
		}
		return list
	}
}

// rulesOfTopics has each rule of a recording and of a topic, with a change that breaks it.
var rulesOfTopics = map[string]struct {
	rule  string
	spoil func([]message) []message
	want  string // in the text of the failure
	only  string // formats that can break it; "" is all
}{
	"shorter":           {"recording: {duration: {min: 1990ms}}", without(imu, time.Second, time.Hour), "duration: want at least 1.99s, found 1.9s\n", ""},
	"longer":            {"recording: {duration: {max: 1.99s}}", change(0, func(m *message) { m.at *= 2 }), "duration: want at most 1.99s, found 3.98s\n", ""},
	"messages in all":   {"recording: {messages: {min: 220, max: 220}}", without(chatter, 0, time.Second), "messages: want 220, found 210\n", ""},
	"order in the file": {"recording: {out_of_order: {max: 0}}", func(list []message) []message { return append(list[1:], list[0]) }, "out_of_order: want at most 0, found 1\n", ".bag"},
	"topic":             {"topics: [{topic: /imu/data}]", without(imu, 0, time.Hour), "/imu/data: expect: want present, found absent\n", ""},
	"topics by name":    {"topics: [{match: '/im.*'}]", without(imu, 0, time.Hour), "/im.*: expect: want present, found absent\n", ""},
	"a topic too many":  {"topics: [{match: '/chat.*', expect: absent}]", nil, "/chatter: expect: want absent, found present, 20 messages\n", ""},
	"type":              {"topics: [{topic: /chatter, type: [sensor_msgs/msg/Imu, std_msgs/Empty]}]", nil, "/chatter: type: want sensor_msgs/Imu or std_msgs/Empty, found std_msgs/String\n", ""},
	"messages": {"topics: [{topic: /chatter, messages: {max: 20}}]", func(list []message) []message {
		return append(list, message{topic: chatter, caller: "/talker", at: 2 * time.Second})
	}, "messages: want at most 20, found 21\n", ""},
	"rate":            {"topics: [{topic: /imu/data, rate: {min: 99, max: 101}}]", change(0, func(m *message) { m.at *= 2 }), "rate: want 99 to 101 Hz, found 50 Hz\n", ""},
	"no rate":         {"topics: [{topic: /imu/data, rate: {min: 99}}]", without(imu, 1, time.Hour), "rate: want at least 99 Hz, found no two messages of different times\n", ""},
	"gap":             {"topics: [{match: .*data, gap: {max: 10ms}}]", without(imu, 50*time.Millisecond, 80*time.Millisecond), "/imu/data: gap: want at most 10ms, found 40ms at 1700000000.040000000, 40ms after the start\n", ""},
	"late":            {"topics: [{topic: /imu/data, gap: {max: 10ms}}]", without(imu, 0, 30*time.Millisecond), "found 30ms at 1700000000.000000000, 0s after", ""},
	"early end":       {"topics: [{topic: /imu/data, gap: {max: 10ms}}]", without(imu, time.Second, time.Hour), "found 910ms at 1700000000.990000000", ""},
	"size":            {"topics: [{topic: /imu/data, size: {min: 315, max: 315}}]", change(time.Second, func(m *message) { m.frame = "imu_link" }), "size: want 315 bytes, found 320 bytes at 1700000001.000000000, 1s after", ""},
	"lost":            {"topics: [{topic: /imu/data, lost: {max: 0}}]", without(imu, 50*time.Millisecond, 80*time.Millisecond), "lost: want at most 0, found 3\n", ".bag .mcap"},
	"stamps run back": {"topics: [{topic: /imu/data, stamp_step: {min: 0s}}]", change(time.Second, func(m *message) { m.stamp -= time.Minute }), "stamp_step: want at least 0s, found -59.99s at 1700000001.000000000", ""},
	"stamps jump":     {"topics: [{topic: /imu/data, stamp_step: {max: 10ms}}]", change(time.Second, func(m *message) { m.stamp += time.Minute }), "stamp_step: want at most 10ms, found 1m0.01s at", ""},
	"clocks differ":   {"topics: [{match: .*, stamp_delay: {min: 0s, max: 10ms}, messages: {min: 0}}]", change(time.Second, func(m *message) { m.stamp -= time.Second }), "/imu/data: stamp_delay: want 0s to 10ms, found 1.005s at 1700000001.000000000", ""},
	"no stamps":       {"topics: [{topic: /chatter, stamp_delay: {min: 0s}}]", nil, "/chatter: stamp_delay: want at least 0s, found no header\n", ""},
}

// TestTopics breaks each rule in each format; before the change, the recording keeps it.
func TestTopics(t *testing.T) {
	measures := func(t *testing.T, name string, list []message, ending string) *Measures {
		path := filepath.Join(t.TempDir(), name)
		write(t, path+".bag", list, bagstore.None)
		if ending != ".bag" {
			if _, err := convert.Messages(t.Context(), convert.Options{In: path + ".bag", Out: path + ending}); err != nil {
				t.Fatal(err)
			}
		}
		return measure(t, path+ending)
	}
	for _, ending := range []string{".bag", ".db3", ".mcap", ""} { // "" is a folder
		sound := measures(t, "sound", good(), ending)
		for name, test := range rulesOfTopics {
			t.Run(name+ending, func(t *testing.T) {
				set := parse(t, test.rule)
				bad := sound
				if test.spoil != nil {
					if text := failures(set, sound); text != "" {
						t.Errorf("the sound recording: %s", text)
					}
					bad = measures(t, "spoilt", test.spoil(good()), ending)
				}
				text := failures(set, bad)
				if can := test.only == "" || ending != "" && strings.Contains(test.only, ending); !can {
					if text != "" {
						t.Errorf("got %q, and %q can't break the rule", text, ending)
					}
				} else if !strings.Contains(text, test.want) || strings.Count(text, "\n") != 2 {
					t.Errorf("got %q, want %q", text, test.want)
				}
			})
		}
	}
}

// TestPublishers: stamps of two publishers of a topic may interleave, and each counts on its own.
func TestPublishers(t *testing.T) {
	list := good()
	for i := range list {
		if list[i].topic == imu && i%2 == 0 {
			list[i].caller, list[i].seq, list[i].stamp = "/other", list[i].seq+1000, list[i].stamp-time.Second
		}
	}
	path := filepath.Join(t.TempDir(), "two.bag")
	write(t, path, list, bagstore.None)
	if text := failures(parse(t, "topics: [{topic: /imu/data, stamp_step: {min: 0s, max: 50ms}}]"), measure(t, path)); text != "" {
		t.Error(text)
	}
}

// TestSilentTopics: a topic without messages is there, and isn't absent.
func TestSilentTopics(t *testing.T) {
	for file, topic := range map[string]string{"rosbag2_v4.db3": "/events/write_split", "rosbag2_talker.mcap": "/parameter_events"} {
		m := measure(t, need.Bag(t, "db3/public/"+file))
		for rule, want := range map[string]string{
			"":                                     "messages: want at least 1, found 0\n",
			", messages: {min: 0}, rate: {min: 1}": "",
			", expect: optional":                   "",
			", expect: absent":                     "expect: want absent, found present, 0 messages\n",
		} {
			text := failures(parse(t, "topics: [{topic: "+topic+rule+"}]"), m)
			if want != "" && !strings.Contains(text, want) || want == "" && text != "" {
				t.Errorf("%s: %s: got %q, want %q", file, rule, text, want)
			}
		}
	}
}

// TestFiles are the rules that depend on the file as a whole.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	plain, small, db3, mcap := filepath.Join(dir, "plain.bag"), filepath.Join(dir, "small.bag"), filepath.Join(dir, "small.db3"), filepath.Join(dir, "small.mcap")
	write(t, plain, good(), bagstore.None)
	write(t, small, good(), bagstore.LZ4)
	sdk := map[string]string{}
	for name, file := range map[string]string{"whole": "sw_small_raw.bag", "pause": "sw_small_pause.bag"} {
		in := need.Bag(t, "librealsense/"+file)
		sdk[name+".bag"] = in
		for _, ending := range []string{".db3", ".mcap"} {
			out := filepath.Join(dir, name+ending)
			if _, err := convert.Run(t.Context(), convert.Options{In: in, Out: out}); err != nil {
				t.Fatal(err)
			}
			sdk[name+ending] = out
		}
	}
	for out, kind := range map[string]bagstore.Compression{db3: bagstore.None, mcap: bagstore.LZ4} {
		if _, err := convert.Messages(t.Context(), convert.Options{In: small, Out: out, Bag: bagstore.Options{Compression: kind}}); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		rule, keeps, breaks, want string
	}{
		"size":                 {"size: {max: 32k}", small, plain, "size: want at most 32768 bytes, found "},
		"size of MCAP":         {"size: {max: 64k}", mcap, plain, "size: want at most 65536 bytes, found "},
		"size of db3":          {"size: {min: 64k}", db3, small, "size: want at least 65536 bytes, found "},
		"compression":          {"compression: lz4", small, plain, "compression: want lz4, found none\n"},
		"compression of MCAP":  {"compression: [lz4, bz2]", mcap, plain, "compression: want lz4 or bz2, found none\n"},
		"layout":               {"realsense: true", sdk["whole.bag"], plain, "realsense: want true, found false\n"},
		"layout in db3":        {"realsense: true", sdk["whole.db3"], db3, "realsense: want true, found false\n"},
		"layout in MCAP":       {"realsense: true", sdk["whole.mcap"], mcap, "realsense: want true, found false\n"},
		"no layout":            {"realsense: false", plain, sdk["whole.bag"], "realsense: want false, found true\n"},
		"lost frames":          {"lost_frames: {max: 0}", sdk["whole.bag"], sdk["pause.bag"], "lost_frames: want at most 0, found 380\n"},
		"lost frames in db3":   {"lost_frames: {max: 0}", sdk["whole.db3"], sdk["pause.db3"], "lost_frames: want at most 0, found 260\n"},
		"lost frames in MCAP":  {"lost_frames: {max: 0}", sdk["whole.mcap"], sdk["pause.mcap"], "lost_frames: want at most 0, found 380\n"},
		"no frames to be lost": {"lost_frames: {max: 0}", sdk["whole.bag"], plain, "lost_frames: want at most 0, found no intact RealSense layout\n"},
		"no compression":       {"compression: none", plain, small, "compression: want none, found lz4\n"},
	} {
		t.Run(name, func(t *testing.T) {
			set := parse(t, "recording:\n  "+test.rule)
			if text := failures(set, measure(t, test.keeps)); text != "" {
				t.Errorf("%s: %s", test.keeps, text)
			}
			if text := failures(set, measure(t, test.breaks)); !strings.Contains(text, "rule in line 2: "+test.want) {
				t.Errorf("%s: got %q, want %q", test.breaks, text, test.want)
			}
		})
	}
}

// TestText: every example keeps the rules that are written for it.
func TestText(t *testing.T) {
	need.Variable(t, "RS_BAGS")
	tried := 0
	err := filepath.WalkDir(os.Getenv("RS_BAGS"), func(path string, e os.DirEntry, err error) error {
		ending := filepath.Ext(path)
		if err != nil || e.IsDir() || ending != ".bag" && ending != ".db3" && ending != ".mcap" || strings.Contains(path, "hostile") {
			return err
		}
		m := measure(t, path)
		text, err := m.Text()
		if err != nil {
			return err
		}
		if broken := failures(parse(t, string(text)), m); broken != "" {
			t.Errorf("%s: %s\n%s", path, broken, text)
		}
		tried++
		return nil
	})
	if err != nil || tried < 20 {
		t.Errorf("%d files: %v", tried, err)
	}
}

// TestTextTells: the rules written for a good recording fail for others.
func TestTextTells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "good.bag")
	write(t, path, good(), bagstore.None)
	text, err := measure(t, path).Text()
	need.Must(t, err)
	for want, spoil := range map[string]func([]message) []message{
		"expect":      without(imu, 0, time.Hour),
		"gap":         without(imu, time.Second, 1100*time.Millisecond),
		"rate":        change(0, func(m *message) { m.at *= 2 }),
		"size":        change(0, func(m *message) { m.frame = "another" }),
		"lost":        without(imu, 500*time.Millisecond, 510*time.Millisecond),
		"stamp_step":  change(time.Second, func(m *message) { m.stamp -= time.Minute }),
		"stamp_delay": change(0, func(m *message) { m.stamp -= time.Second }),
	} {
		path := filepath.Join(t.TempDir(), "bad.bag")
		write(t, path, spoil(good()), bagstore.None)
		if found := failures(parse(t, string(text)), measure(t, path)); !strings.Contains(found, "/imu/data: "+want+": ") {
			t.Errorf("%s: found %s with\n%s", want, found, text)
		}
	}
}

func TestRound(t *testing.T) {
	for _, v := range []float64{1, 9.99, 12.345, 0.00123, 1e9 + 1, 33333333, 7e17} {
		for digits := 1; digits < 4; digits++ {
			down, up := round(v, digits, math.Floor), round(v, digits, math.Ceil)
			if slack := v * math.Pow10(1-digits); down > v || up < v || v-down > slack || up-v > slack || round(-v, digits, math.Floor) != -up {
				t.Errorf("%v to %d digits: %v to %v", v, digits, down, up)
			}
		}
	}
}
