package live

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/camdriver"
	"rsros/program"
	"rsros/replay/recorded"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/rig"
)

// launchParams are the parameters that rs_camera.launch sets.
var launchParams = graph.Params{"initial_reset": true, "reconnect_timeout": 0.05, "wait_for_device_timeout": -1.0, "unplugged": true}

func TestWaitParameters(t *testing.T) {
	var o Options
	need.Must(t, o.fill(launchParams))
	if s := o.Source; !s.InitialReset || s.Retry != 50*time.Millisecond || s.Wait != -1 || !s.Unplugged {
		t.Errorf("%+v", s)
	}
	if err := o.fill(graph.Params{"wait_for_device_timeout": 3}); err != nil || o.Source.Wait != -1 {
		t.Errorf("a parameter took precedence over a flag: %v, %v", o.Source.Wait, err)
	}
	if err := new(Options).fill(graph.Params{"wait_for_device_timeout": "soon"}); err == nil || !strings.Contains(err.Error(), "~wait_for_device_timeout") {
		t.Errorf("%v", err)
	}
}

// handClock is a clock that moves only when somebody sleeps, and reports each sleep.
type handClock struct {
	now    time.Time
	sleeps []time.Duration
	asleep func() // called by every sleep
}

func (c *handClock) Now() time.Time { return c.now }

func (c *handClock) SleepUntil(ctx context.Context, t time.Time) error {
	c.sleeps = append(c.sleeps, t.Sub(c.now))
	c.now = t
	if c.asleep != nil {
		c.asleep()
	}
	return ctx.Err()
}

// waiting is a camera of a node that waits for its device.
func waiting(n *ros.Node) *camera { return &camera{node: n, openMu: &sync.Mutex{}} }

// A recording at an address isn't waited for, and can be read after the wait.
func TestAwaitBag(t *testing.T) {
	path := rig.MapBag(t)
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(path))))
	defer server.Close()
	dev, err := waiting(rig.NodeAt(t, rig.Master(t).URI(), "camera_node")).await(t.Context(), SourceOptions{Device: server.URL + "/" + filepath.Base(path), Wait: -1}, noWait)
	need.Must(t, err)
	defer dev.Close() //nolint:errcheck // nothing is written
	if _, err := rosbag.FileOf(dev.(*recorded.Device).File().Bag()).Check(t.Context(), bagstore.CheckOptions{}); err != nil {
		t.Error(err)
	}
}

// A missing camera is looked for every reconnect_timeout, until wait_for_device_timeout has passed.
func TestWaitEnds(t *testing.T) {
	n, clock := rig.NodeAt(t, rig.Master(t).URI(), "camera_node"), &handClock{now: time.Unix(1000, 0)}
	o := SourceOptions{Device: "sim:77", Unplugged: true, Wait: 15 * time.Second, Retry: 6 * time.Second, Clock: clock}
	_, err := waiting(n).await(t.Context(), o, noWait)
	if !errors.Is(err, program.ErrNoDevice) || !strings.Contains(err.Error(), "waited 15s") {
		t.Errorf("%v", err)
	}
	want := []time.Duration{6 * time.Second, 6 * time.Second, 3 * time.Second}
	if len(clock.sleeps) != 3 || clock.sleeps[0] != want[0] || clock.sleeps[2] != want[2] {
		t.Errorf("looked after %v, want %v", clock.sleeps, want)
	}
	clock.sleeps = nil
	o.Wait = 0
	if _, err := waiting(n).await(t.Context(), o, noWait); !errors.Is(err, program.ErrNoDevice) || clock.sleeps != nil {
		t.Errorf("not told to wait: %v after %v", err, clock.sleeps)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.Wait = -1
	if _, err := waiting(n).await(ctx, o, noWait); !errors.Is(err, context.Canceled) {
		t.Errorf("the user ended the wait: %v", err)
	}
	o.Device = "/no/such.bag"
	if _, err := waiting(n).await(t.Context(), o, noWait); !errors.Is(err, program.ErrNoDevice) {
		t.Errorf("a recording was waited for: %v", err)
	}
}

// A simulated camera that is plugged in while the node waits is opened by its serial number.
func TestWaitForPlug(t *testing.T) {
	n := rig.NodeAt(t, rig.Master(t).URI(), "camera_node")
	clock := &handClock{now: time.Unix(1000, 0)}
	clock.asleep = func() {
		if len(clock.sleeps) == 3 {
			rig.SetBool(t, n, "/camera_node/plug", true)
		}
	}
	dev, err := waiting(n).await(t.Context(), SourceOptions{Device: "sim:77", Unplugged: true, Wait: -1, Retry: time.Second, Clock: clock}, noWait)
	need.Must(t, err)
	defer dev.Close()
	if serial := camdriver.Find(dev.Info(), camdriver.InfoSerialNumber); serial != "77" || len(clock.sleeps) != 3 {
		t.Errorf("camera %s after %v", serial, clock.sleeps)
	}
}

// initial_reset resets the camera before its topics are advertised.
func TestInitialReset(t *testing.T) {
	n, log := rig.NodeAt(t, rig.Master(t).URI(), "camera_node"), &bytes.Buffer{}
	c := &camera{node: n, openMu: &sync.Mutex{}, log: zerolog.New(log), opts: Options{Source: SourceOptions{Device: "sim", InitialReset: true}}}
	need.Must(t, c.open(t.Context(), zerolog.Nop(), noWait))
	defer c.close()
	need.Must(t, c.resetFirst(t.Context(), noWait))
	if !strings.Contains(log.String(), "the camera is back from its reset") {
		t.Errorf("log: %s", log)
	}
	c.opts.Source.Wait = time.Nanosecond
	if err := c.resetFirst(t.Context(), noWait); !errors.Is(err, program.ErrNoDevice) {
		t.Errorf("a camera that stays away: %v", err)
	}
}
