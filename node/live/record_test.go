package live

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/naming"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/rig"
)

// frameCounter lets a test wait for depth frames.
type frameCounter struct {
	camdriver.NopHandler
	depth chan struct{}
}

func (c *frameCounter) Frame(_ int, f *camdriver.Frame) {
	if f.Stream().Kind == camdriver.Depth {
		c.depth <- struct{}{}
	}
}

func (c *frameCounter) await(n int) {
	for range n {
		<-c.depth
	}
}

// Events while a live node records are in the bag at their time: an option's change, a notification,
// the node's log, a split; so is the device's description.
func TestLiveRecordsWhatHappens(t *testing.T) {
	for _, ext := range []string{".bag", ".mcap"} {
		t.Run(ext, func(t *testing.T) { recordsWhatHappens(t, ext) })
	}
}

func recordsWhatHappens(t *testing.T, ext string) {
	path := filepath.Join(t.TempDir(), "walk"+ext)
	frames := &frameCounter{depth: make(chan struct{}, 1000)}
	live, err := Start(t.Context(), Options{
		Naming: naming.SDK, Streams: small, Record: path, Log: zerolog.New(zerolog.NewTestWriter(t)), Observer: frames,
	}.at(rig.Master(t).URI()))
	need.Must(t, err)
	sensor := live.cameras[0].device.Sensors()[0]
	frames.await(2)
	need.Must(t, sensor.SetOption(camdriver.OptionGain, 64))
	live.cameras[0].hub.Notification(0, camdriver.Notification{Time: time.Now(), Category: camdriver.NotifyHardwareEvent, Severity: camdriver.SeverityWarn, Description: "hot"})
	live.log.Info().Msg("half way")
	frames.await(3)
	if text, err := live.cameras[0].control("split", true); err != nil {
		t.Errorf("%s, %v", text, err)
	}
	frames.await(3)
	need.Must(t, live.Close())
	first, second := rig.ReadTake(t, path), rig.ReadTake(t, strings.TrimSuffix(path, ext)+"_1"+ext)
	for _, want := range []string{"Gain=64", "hot"} {
		i := slices.IndexFunc(first.Others, func(s string) bool { return strings.Contains(s, want) })
		if i < 0 {
			t.Fatalf("no %s in %q", want, first.Others)
		}
		at, err := time.ParseDuration(strings.Fields(first.Others[i])[0])
		if err != nil || at <= first.Times[0] || at >= first.Times[len(first.Times)-1] {
			t.Errorf("%q, with frames at %v (%v)", first.Others[i], first.Times, err)
		}
	}
	gain := func(snap camdriver.DeviceSnapshot) float32 {
		list := snap.Sensors[0].Options
		return list[slices.IndexFunc(list, func(o camdriver.Option) bool { return o.ID == camdriver.OptionGain })].Value
	}
	if a, b := gain(first.Snap), gain(second.Snap); a == 64 || b != 64 {
		t.Errorf("gain is %v at the start and %v in the second file", a, b)
	}
	if got := first.Snap.Sensors[0].Filters; len(got) == 0 || !slices.Equal(got, sensor.Filters()) {
		t.Errorf("post_processing %q, want %q", got, sensor.Filters())
	}
	if first.Depth[len(first.Depth)-1]+1 != second.Depth[0] {
		t.Errorf("depth %v, then %v", first.Depth, second.Depth)
	}
	checkLogAndOrigin(t, path)
}

// TestRecordKeys checks which keys would cut a recording, and only as long as they would.
func TestRecordKeys(t *testing.T) {
	frames := &frameCounter{depth: make(chan struct{}, 1000)}
	live, err := Start(t.Context(), Options{
		Streams: small, Record: filepath.Join(t.TempDir(), "walk.bag"), Log: zerolog.New(zerolog.NewTestWriter(t)), Observer: frames,
	}.at(rig.Master(t).URI()))
	need.Must(t, err)
	frames.await(2)
	_, commands := live.RecordKeys()
	for _, step := range []struct{ press, cuts string }{{"m", "rs "}, {" ", "rs"}, {" ", "rs "}, {"r", "s"}, {"r", "rs "}} {
		commands[step.press].Do()
		got := ""
		for _, key := range []string{"m", "r", "s", " "} {
			if c := commands[key]; c.Cuts != "" && (c.If == nil || c.If()) {
				got += key
			}
		}
		if got != step.cuts {
			t.Errorf("after %q: %q would cut the recording, want %q", step.press, got, step.cuts)
		}
	}
	need.Must(t, live.Close())
}

// checkLogAndOrigin checks what librealsense doesn't read.
func checkLogAndOrigin(t *testing.T, path string) {
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // only read
	var keys []string
	for _, kv := range f.Additional() {
		keys = append(keys, kv.Key)
		if kv.Key == rslayout.KeyVersion && kv.Value != program.Version || kv.Key == rslayout.KeyProgram && kv.Value != program.Name ||
			kv.Key == rslayout.KeyWritten && !strings.Contains(kv.Value, "the page cache") {
			t.Errorf("%s is %q", kv.Key, kv.Value)
		}
	}
	want := []string{rslayout.KeyProgram, rslayout.KeyVersion, rslayout.KeyHost, rslayout.KeyWritten, rslayout.KeyStart}
	if filepath.Ext(path) == ".mcap" { // there is one way to write it
		want = slices.Delete(want, 3, 4)
	}
	if !slices.Equal(keys, want) {
		t.Errorf("additional info %q, want %q", keys, want)
	}
	v := f.Bag().View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == "/log" }})
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		var line msgs.Log
		need.Must(t, msgs.Unmarshal(it.Message().Data, &line))
		if line.Msg == "half way" && line.Name == "/camera_node" && line.Level == msgs.LogInfo {
			return
		}
	}
	t.Error("/log lacks the line")
}
