package live

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/naming"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// soakTime is the duration of TestSoak unless SOAK says otherwise.
const soakTime = 6 * time.Second

// soakMemory is how much the heap may grow from near the beginning to the end of a soak: pools keep
// some buffers of every size used.
const soakMemory = 96 << 20 // bytes

// TestSoak keeps a node with two cameras busy: options change, subscribers come and go, a camera is
// unplugged and plugged in, publishing is paused. Afterwards every frame is accounted for, and
// goroutines, descriptors and memory are back to what they were.
func TestSoak(t *testing.T) {
	length := soakTime
	if text := os.Getenv("SOAK"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	master := rig.Master(t)
	s := newSoak(t, master.URI()) // once, so that what is made only once is there
	s.close()
	files, goroutines := descriptors(t), runtime.NumGoroutine()

	s = newSoak(t, master.URI())
	early := heap()
	s.run(length)
	s.settle()
	if late := heap(); late > early+soakMemory {
		t.Errorf("the heap grew from %d to %d MiB", early>>20, late>>20)
	} else {
		t.Logf("heap: %d MiB, then %d MiB; %s", early>>20, late>>20, s.counts())
	}
	s.close()
	s.checkRecordings()
	peer.Await(t, "descriptors and goroutines as before", func() bool {
		return descriptors(t) <= files && runtime.NumGoroutine() <= goroutines
	})
}

// TestSubscribersSoak lets subscribers come and go: the memory in use stays the same.
func TestSubscribersSoak(t *testing.T) {
	_, n := startTestLive(t, Options{})
	rig.Flat(t, 200, func(int) {
		for _, topic := range []string{"/device_0/sensor_2/Gyro_0/imu/data", "/camera/gyro/sample"} {
			arrived := make(chan struct{}, 1)
			s, err := n.Subscribe(ros.SubscriberOptions{Topic: topic}, func(ros.Received) {
				select {
				case arrived <- struct{}{}:
				default:
				}
			})
			need.Must(t, err)
			<-arrived
			s.Close()
		}
	})
}

// descriptors returns the number of the process's open files, if the system tells.
func descriptors(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	list, err := os.ReadDir("/proc/self/fd")
	need.Must(t, err)
	return len(list)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first one only marked
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// soak is a node under test and a second one that uses it.
type soak struct {
	t       *testing.T
	live    *Session
	user    *ros.Node
	watched []*watched
	awake   sync.Once
	wake    chan struct{}    // closed when slow subscribers read on
	frames  [2]atomic.Uint64 // of the cameras
	acts    map[string]*atomic.Int64
}

func newSoak(t *testing.T, master string) *soak {
	t.Helper()
	small := StreamSetting{Width: 424, Height: 240, FPS: 6}
	off := StreamSetting{Off: true}
	s := &soak{t: t, wake: make(chan struct{}), acts: map[string]*atomic.Int64{}}
	var err error
	s.live, err = Start(t.Context(), Options{
		Log: zerolog.Nop(), Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"front", "rear"},
		Streams: StreamSettings{
			{Kind: camdriver.Depth}: small, {Kind: camdriver.Color}: small,
			{Kind: camdriver.Infrared, Index: 1}: off, {Kind: camdriver.Infrared, Index: 2}: off,
		},
		Wrapper: naming.WrapperOptions{AlignDepth: true, PointCloud: true, Filters: []string{"decimation", "spatial", "temporal", "hole_filling"}},
		Record:  filepath.Join(t.TempDir(), "soak.bag"),
	}.at(master))
	need.Must(t, err)
	for i, c := range s.live.cameras {
		c.attach(&counter{frames: &s.frames[i]}, nil)
	}
	s.user = rig.NodeAt(t, master, "user")
	s.watch("/front/color/image_raw", nil)
	s.watch("/rear/color/image_raw", s.wake)
	s.watch("/rear/gyro/sample", nil)
	return s
}

func (s *soak) close() {
	s.wakeUp()
	for _, w := range s.watched {
		w.sub.Close()
	}
	if err := s.user.Close(); err != nil {
		s.t.Error(err)
	}
	if err := s.live.Close(); err != nil {
		s.t.Error(err)
	}
}

func (s *soak) wakeUp() { s.awake.Do(func() { close(s.wake) }) }

// counter counts depth frames, to show that a camera is alive.
type counter struct {
	camdriver.NopHandler
	frames *atomic.Uint64
}

func (c *counter) Frame(_ int, f *camdriver.Frame) {
	if f.Stream().Kind == camdriver.Depth {
		c.frames.Add(1)
	}
}

// watched is a topic with a permanent subscriber: the messages it received, and those missing between
// them by sequence number.
type watched struct {
	topic string
	sub   *ros.Subscriber

	mu           sync.Mutex
	next         uint32
	got, missing uint64
}

// watch subscribes to a topic. The subscriber takes one message, and the others once wake is closed;
// nil means at once.
func (s *soak) watch(topic string, wake <-chan struct{}) {
	s.t.Helper()
	w := &watched{topic: topic}
	first := make(chan struct{})
	var err error
	w.sub, err = s.user.Subscribe(ros.SubscriberOptions{Topic: topic}, func(r ros.Received) {
		var h msgs.Header
		h.Decode(msgs.NewDecoder(r.Data))
		w.mu.Lock()
		if w.got++; w.got > 1 {
			w.missing += uint64(h.Seq - w.next)
		}
		w.next = h.Seq + 1
		n := w.got
		w.mu.Unlock()
		if n == 1 {
			close(first)
		}
		if wake != nil {
			<-wake
		}
	})
	need.Must(s.t, err)
	<-first
	s.watched = append(s.watched, w)
}

// run keeps the node busy for some time.
func (s *soak) run(length time.Duration) {
	over := make(chan struct{})
	var all sync.WaitGroup
	for name, act := range map[string]func(*rand.Rand){
		"options": s.turn, "subscribers": s.come, "plug": s.plug, "pause": s.pause, "recording": s.split,
	} {
		done := &atomic.Int64{}
		s.acts[name] = done
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(len(name))))
			for {
				select {
				case <-over:
					return
				default:
					act(rnd)
					done.Add(1)
				}
			}
		})
	}
	timer := time.AfterFunc(length, func() { close(over) })
	defer timer.Stop()
	all.Wait()
}

// counts returns how often each action was done.
func (s *soak) counts() string {
	var list []string
	for name, n := range s.acts {
		list = append(list, fmt.Sprint(name, " ", n.Load()))
	}
	return strings.Join(list, ", ")
}

// await waits for frames of a camera.
func (s *soak) await(camera int, frames uint64) {
	peer.Await(s.t, "frames", awaitMore(&s.frames[camera], frames))
}

func (s *soak) set(service string, on bool) { rig.SetBool(s.t, s.user, service, on) }

// turn sets options of filters and cameras.
func (s *soak) turn(rnd *rand.Rand) {
	camera := []string{"/front", "/rear"}[rnd.IntN(2)]
	set := func(group string, req msgs.Config) {
		var resp msgs.Config
		ask(s.t, s.user, camera+"/"+group+"/set_parameters", "dynamic_reconfigure/Reconfigure", &req, &resp)
	}
	set("decimation", msgs.Config{Ints: []msgs.Param[int32]{{Name: "filter_magnitude", Value: 1 + rnd.Int32N(8)}}})
	set("spatial", msgs.Config{Ints: []msgs.Param[int32]{{Name: "holes_fill", Value: rnd.Int32N(6)}, {Name: "filter_magnitude", Value: 1 + rnd.Int32N(5)}}})
	set("temporal", msgs.Config{Ints: []msgs.Param[int32]{{Name: "filter_smooth_delta", Value: 1 + rnd.Int32N(100)}}})
	set("rgb_camera", msgs.Config{Ints: []msgs.Param[int32]{{Name: "brightness", Value: rnd.Int32N(128) - 64}}})
	s.await(1, 1)
}

// come subscribes to a topic, and leaves after some messages.
func (s *soak) come(rnd *rand.Rand) {
	topics := []string{
		"depth/image_rect_raw", "depth/color/points", "aligned_depth_to_color/image_raw", "depth/image_rect_raw/compressedDepth",
		"color/image_raw/compressed", "depth/metadata", "accel/sample",
	}
	topic := "/rear/" + topics[rnd.IntN(len(topics))]
	left := 1 + rnd.IntN(4)
	enough := make(chan struct{})
	sub, err := s.user.Subscribe(ros.SubscriberOptions{Topic: topic}, func(ros.Received) {
		if left--; left == 0 {
			close(enough)
		}
	})
	if err != nil {
		s.t.Error(err)
		return
	}
	select {
	case <-enough:
	case <-time.After(peer.Patience):
		s.t.Errorf("%s: nothing came", topic)
	}
	sub.Close()
}

// plug unplugs one camera while the other goes on.
func (s *soak) plug(*rand.Rand) {
	s.set("/camera_node/front/plug", false)
	s.await(1, 2)
	s.set("/camera_node/front/plug", true)
	s.await(0, 3)
}

// pause pauses one camera's publishing.
func (s *soak) pause(*rand.Rand) {
	s.await(1, 4)
	s.set("/camera_node/rear/pause_playback", true)
	s.await(1, 1)
	s.set("/camera_node/rear/pause_playback", false)
}

// split starts new files.
func (s *soak) split(*rand.Rand) {
	s.await(1, 10)
	rig.Trigger(s.t, s.user, "/camera_node/split_recording")
}

// settle lets subscribers take the remaining messages: each then received what was sent to it, except
// for what is counted as lost.
func (s *soak) settle() {
	s.wakeUp()
	lost := func(topic string) (n uint64) {
		for _, c := range s.live.cameras {
			for _, drops := range c.drops {
				for _, d := range drops().Topics {
					if d.Topic == topic {
						n += d.Lost
					}
				}
			}
		}
		return n
	}
	for _, w := range s.watched {
		peer.Await(s.t, w.topic+": lost as much as was counted", func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.missing == lost(w.topic)
		})
		w.mu.Lock()
		s.t.Logf("%s: %d received, %d lost and counted", w.topic, w.got, w.missing)
		w.mu.Unlock()
	}
}

// checkRecordings compares the cameras' frames with those in the bags.
func (s *soak) checkRecordings() {
	for _, c := range s.live.cameras {
		sum := c.records.Last
		var given uint64
		for _, list := range c.profiles {
			for _, p := range list {
				n, _ := c.hub.Counts(p.Stream)
				given += n
			}
		}
		if sum.Frames+sum.Dropped != given || sum.Skipped > 0 {
			s.t.Errorf("%s gave %d frames; recorded: %s", c.opts.Camera, given, sum.Closing)
		}
	}
}
