package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program"
	"rsros/replay"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/samplebag"
)

func TestKeyParser(t *testing.T) {
	status := replay.Status{Rate: 2, Loop: true}
	for name, c := range map[string]struct {
		input []string
		want  []replay.Command
	}{
		"space":            {[]string{" "}, []replay.Command{replay.Toggle{}}},
		"two keys at once": {[]string{"s "}, []replay.Command{replay.StepMessage{}, replay.Toggle{}}},
		"arrow":            {[]string{"\x1b[C"}, []replay.Command{replay.SeekBy{Distance: 5 * time.Second}}},
		"arrow in pieces":  {[]string{"\x1b", "[", "B"}, []replay.Command{replay.SeekBy{Distance: -time.Minute}}},
		"unknown sequence": {[]string{"\x1b[5~q"}, []replay.Command{replay.Stop{}}},
		"rate":             {[]string{"-1"}, []replay.Command{replay.SetRate{Rate: 2 / rateStep}, replay.SetRate{Rate: 1}}},
		"loop":             {[]string{"l"}, []replay.Command{replay.SetLoop{On: false}}},
		"unknown":          {[]string{"xyz\xff\x00"}, nil},
	} {
		var parser keyParser
		var got []replay.Command
		for _, input := range c.input {
			got = append(got, parser.feed(input, status)...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestStateLine(t *testing.T) {
	s := replay.Status{State: replay.Running, Time: 1_700_000_000_250_000_000, Position: 250 * time.Millisecond, Length: 2 * time.Second, Rate: 1}
	if got, want := stateLine(s), " [RUNNING]  Bag Time: 1700000000.250000   Duration: 0.250000 / 2.000000"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	s.State, s.Rate, s.Round, s.Late, s.Dropped, s.Skipped, s.Behind = replay.Delayed, 2, 1, 40*time.Millisecond, 3, 4, 1500*time.Millisecond
	s.Stalls, s.Stalled = 2, 1300*time.Millisecond
	if got, want := stateLine(s), "   Delay: 1.50   Rate: 2   Round: 2   Late: 40 ms   Stalls: 2 (1.3 s)   Dropped: 3   Skipped: 4"; !strings.HasSuffix(got, want) {
		t.Errorf("got  %q\nwant …%q", got, want)
	}
}

// playBag is a bag of n strings on /chatter, 1 ms apart.
func playBag(t *testing.T, n int) string {
	t.Helper()
	return writeBag(t, n, time.Millisecond, func(i int) string { return fmt.Sprint(i) })
}

func writeBag(t *testing.T, n int, apart time.Duration, text func(i int) string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "play.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	c := samplebag.Topic("/chatter", "std_msgs/String")
	c.CallerID = "/talker"
	for i := range n {
		w.Put(c, bagstore.NewTime(1_700_000_000, 0).Add(time.Duration(i)*apart), msgs.Marshal(&msgs.String{Data: text(i)}))
	}
	w.Done()
	return path
}

// TestPlay plays to a subscriber in a graph with the embedded master.
func TestPlay(t *testing.T) {
	m := rig.Master(t)
	n := rig.Node(t, m, "judge")
	got := make(chan string, 1000)
	sub, err := n.Subscribe(ros.SubscriberOptions{Topic: "/chatter"}, func(r ros.Received) {
		if r.Header["callerid"] != "/talker" {
			t.Errorf("published as %q", r.Header["callerid"])
		}
		got <- msgs.NewDecoder(r.Data).String()
	})
	need.Must(t, err)
	defer sub.Close()
	var out bytes.Buffer
	o := Options{ROS: ros.Config{MasterURI: m.URI(), Host: "127.0.0.1"}, Bags: []string{playBag(t, 100)}, Out: &out, Log: zerolog.Nop()}
	o.Replay = replay.Settings{ClockHz: 100, ClockPerMessage: true, Immediate: true, WaitForSubscribers: true}
	need.Must(t, Run(t.Context(), o))
	for i := range 100 {
		if text := <-got; text != fmt.Sprint(i) {
			t.Fatalf("message %d is %q", i, text)
		}
	}
	if !strings.Contains(out.String(), "[FINISHED]") {
		t.Errorf("printed %q", out.String())
	}
}

// Messages that a slow subscriber loses make the replay incomplete, even if it takes the rest; ~status
// says who lost how many of which topic, too.
func TestDropsAreIncomplete(t *testing.T) {
	if err := playToASlowOne(t, false); !errors.Is(err, program.ErrIncomplete) ||
		!strings.Contains(err.Error(), "slow subscribers lost") || !strings.Contains(err.Error(), "of /chatter by /judge") {
		t.Errorf("%v, want ErrIncomplete for lost messages", err)
	}
	if err := playToASlowOne(t, true); err != nil {
		t.Errorf("%v, though losses are fine", err)
	}
}

// playToASlowOne plays to a subscriber that takes nothing until it has lost messages.
func playToASlowOne(t *testing.T, lossyOK bool) error {
	t.Helper()
	m := rig.Master(t)
	n := rig.Node(t, m, "judge")
	lost := make(chan struct{})
	var once sync.Once
	if _, err := n.Subscribe(ros.SubscriberOptions{Topic: "/chatter"}, func(ros.Received) { <-lost }); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Subscribe(ros.SubscriberOptions{Topic: "/player/status"}, func(r ros.Received) {
		var s msgs.DiagnosticStatus
		if err := msgs.Unmarshal(r.Data, &s); err != nil {
			t.Error(err)
		}
		if slices.ContainsFunc(s.Values, func(v msgs.KeyValue) bool { return v.Key == "dropped /chatter /judge" && v.Value != "0" }) {
			once.Do(func() { close(lost) })
		}
	}); err != nil {
		t.Fatal(err)
	}
	const size, messages = 1 << 20, 100 // more than sockets hold
	large := strings.Repeat("x", size)
	err := Run(t.Context(), Options{
		ROS:  ros.Config{Name: "player", MasterURI: m.URI(), Host: "127.0.0.1"},
		Bags: []string{writeBag(t, messages, 10*time.Millisecond, func(int) string { return large })}, Queue: 1, LossyOK: lossyOK, Log: zerolog.Nop(),
		Replay: replay.Settings{WaitForSubscribers: true},
	})
	once.Do(func() { close(lost) })
	return err
}

// TestHeldUp: a subscriber that reads nothing holds an immediate replay up, ~status names it, and services are answered.
// Later it gets everything.
func TestHeldUp(t *testing.T) {
	m := rig.Master(t)
	n := rig.Node(t, m, "judge")
	reads, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	got := 0
	sub, err := n.Subscribe(ros.SubscriberOptions{Topic: "/chatter"}, func(ros.Received) { <-reads; got++ })
	need.Must(t, err)
	defer sub.Close()
	status, err := n.Subscribe(ros.SubscriberOptions{Topic: "/player/status"}, func(r ros.Received) {
		var s msgs.DiagnosticStatus
		if err := msgs.Unmarshal(r.Data, &s); err != nil {
			t.Error(err)
		}
		if strings.Contains(s.Message, "held up by subscriber /judge of /chatter") {
			once.Do(func() { close(held) })
		}
	})
	need.Must(t, err)
	defer status.Close()
	const messages = 60 // of 1 MiB, more than sockets and queues hold
	large := strings.Repeat("x", 1<<20)
	o := Options{
		ROS:  ros.Config{Name: "player", MasterURI: m.URI(), Host: "127.0.0.1"},
		Bags: []string{writeBag(t, messages, time.Millisecond, func(int) string { return large })}, Log: zerolog.Nop(),
		Replay: replay.Settings{Immediate: true, WaitForSubscribers: true},
	}
	ended := make(chan error)
	go func() { ended <- Run(t.Context(), o) }()
	<-held
	rig.SetBool(t, n, "/pause_playback", true)
	rig.SetBool(t, n, "/pause_playback", false)
	close(reads)
	need.Must(t, <-ended)
	if sub.Close(); got != messages {
		t.Errorf("got %d messages of %d", got, messages)
	}
}

// TestPlayWithoutMaster checks that a player that waits for a master can be interrupted.
func TestPlayWithoutMaster(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := Run(ctx, Options{ROS: ros.Config{MasterURI: "http://127.0.0.1:1", Host: "127.0.0.1"}, Bags: []string{playBag(t, 1)}, Log: zerolog.Nop()})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestTimeLines plays a RealSense recording of two seconds together with a bag of the same time: on the time line of the stamps
// they are together, by the times in the files decades apart.
func TestTimeLines(t *testing.T) {
	recording := filepath.Join("..", "..", "test", "data", "librealsense", "sw_small_lz4.bag")
	chatter := writeBag(t, 3, time.Second, func(i int) string { return fmt.Sprint(i) })
	for name, c := range map[string]struct {
		set    func(*Options)
		length time.Duration
	}{
		"stamps":              {func(*Options) {}, 2 * time.Second},
		"from a date":         {func(o *Options) { o.Replay.Start = moment(t, "2023-11-14T22:13:21.5Z") }, 500 * time.Millisecond},
		"the recording alone": {func(o *Options) { o.Replay.Filter.Topics = []string{"/device_0/sensor_0/Depth_0/image/data"} }, 1967 * time.Millisecond},
		"file time":           {func(o *Options) { o.FileTime = true }, 1_700_000_002 * time.Second},
	} {
		var out bytes.Buffer
		o := Options{ROS: ros.Config{MasterURI: rig.Master(t).URI(), Host: "127.0.0.1"}, Bags: []string{recording, chatter}, Out: &out, Log: zerolog.Nop()}
		o.Replay.Immediate = true
		c.set(&o)
		need.Must(t, Run(t.Context(), o))
		_, length, _ := strings.Cut(out.String(), " / ")
		if got, err := time.ParseDuration(strings.Fields(length)[0] + "s"); err != nil || (got-c.length).Abs() > 10*time.Millisecond {
			t.Errorf("%s: %v long, %v; want %v", name, got, err, c.length)
		}
	}
}

func moment(t *testing.T, text string) bagstore.Moment {
	t.Helper()
	m, err := bagstore.ParseMoment(text)
	need.Must(t, err)
	return m
}
