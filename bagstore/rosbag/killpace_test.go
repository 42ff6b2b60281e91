package rosbag

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/test/peer"
	"rsros/test/stockbag"
)

// recordingPace is the workload of a recorder of TestKillAtPace.
type recordingPace struct {
	name  string
	every time.Duration
	size  func(i int) int
}

var paces = []recordingPace{
	{"slow", 50 * time.Millisecond, func(int) int { return 40 }},
	{"mixed", 10 * time.Millisecond, func(i int) int {
		if i%10 == 9 {
			return 300_000
		}
		return 200
	}},
	{"fast", time.Millisecond, func(i int) int { return 1000 + i%3000 }},
	{"camera", 10 * time.Millisecond, func(int) int { return 400_000 }}, // more than bzip2 compresses
}

// recordAtPace runs in the re-executed test binary: it records messages that arrive at a fixed rate,
// prints which have arrived and how late its goroutines and the disk were, and never stops. As in a
// node, messages wait in memory until the Writer takes them.
func recordAtPace(path, name string) {
	p := paces[slices.IndexFunc(paces, func(p recordingPace) bool { return p.name == name })]
	kind, _ := strconv.Atoi(os.Getenv("BAGSTORE_SINK"))
	w, err := Create(path, bagstore.Options{Sink: bagstore.SinkKind(kind), Compression: bagstore.Compression(os.Getenv("BAGSTORE_COMPRESSION")), Live: true})
	if err != nil {
		panic(err)
	}
	if _, err := w.AddConnection(stockbag.StringType("/kill")); err != nil {
		panic(err)
	}
	var late atomic.Int64
	go watchLateness(&late, path+".probe")
	waiting := make(chan []byte, 1<<16)
	go func() {
		for i := 0; ; i++ {
			if err := w.Lend(0, bagstore.Time(i+1), func() {}, <-waiting); err != nil {
				panic(err)
			}
		}
	}()
	tick := time.NewTicker(p.every)
	for i := 0; ; i++ {
		<-tick.C
		waiting <- stockbag.Text(i, p.size(i))
		fmt.Println(i+1, late.Load())
	}
}

// watchLateness tracks the longest delay in nanoseconds of a timer of this process or of a small write
// to a file on the same disk.
func watchLateness(most *atomic.Int64, probe string) {
	f, err := os.Create(probe)
	if err != nil {
		panic(err)
	}
	const every = 5 * time.Millisecond
	for due := time.Now().Add(every); ; due = time.Now().Add(every) {
		time.Sleep(time.Until(due))
		if _, err := f.Write(make([]byte, 512)); err != nil {
			panic(err)
		}
		most.Store(max(most.Load(), int64(time.Since(due))))
	}
}

// arrivals are the times at which messages had been written.
type arrivals []time.Time

// before counts the messages written at least some time before a moment.
func (a arrivals) before(end time.Time, d time.Duration) int {
	n := 0
	for n < len(a) && a[n].Before(end.Add(-d)) {
		n++
	}
	return n
}

// killAfter runs the recorder for a while and kills it.
func (v *victim) killAfter(t *testing.T, after time.Duration) {
	cmd := peer.Again()
	cmd.Env = append(os.Environ(), "BAGSTORE_RECORDER="+v.path, "BAGSTORE_PACE="+v.pace.name, fmt.Sprint("BAGSTORE_SINK=", int(v.sink)),
		"BAGSTORE_COMPRESSION="+string(v.compression))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	moment := make(chan time.Time, 1)
	kill := time.AfterFunc(after, func() {
		moment <- time.Now()
		cmd.Process.Kill() //nolint:errcheck // Wait says if it failed
	})
	defer kill.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		v.sent = append(v.sent, time.Now())
		if _, late, ok := strings.Cut(lines.Text(), " "); ok {
			n, _ := strconv.ParseInt(late, 10, 64)
			v.late = max(v.late, time.Duration(n))
		}
	}
	cmd.Wait() //nolint:errcheck // it was killed
	v.killed = <-moment
	if n := len(v.sent); n > 0 { // the kill may have found it stopped
		v.late = max(v.late, v.killed.Sub(v.sent[n-1])-v.pace.every)
	}
}

// TestKillAtPace kills recorders of slow, mixed and fast topics, with each sink and compression. What
// was written 100 ms before the kill must be in the file for us and after Recover, and what was written
// 1 s before, for the stock libraries. A machine busy with other tests schedules late, so the test
// allows another half second and a few times the recorder's own lateness, records a camera with one sink, uncompressed, and
// nothing fast with bzip2, unless BAGSTORE_KILLS is set, which kills at every 100 ms of the first ten seconds.
func TestKillAtPace(t *testing.T) {
	forcedAlike(t)
	ours, stocks := 600*time.Millisecond, 1500*time.Millisecond
	lates := time.Duration(5)
	moments := []time.Duration{2300 * time.Millisecond}
	thorough := os.Getenv("BAGSTORE_KILLS") != ""
	if thorough {
		ours, stocks, lates, moments = 100*time.Millisecond, time.Second, 0, nil
		for d := 100 * time.Millisecond; d <= 10*time.Second; d += 100 * time.Millisecond {
			moments = append(moments, d)
		}
	}
	dir := t.TempDir()
	for _, after := range moments {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			// Several recorders run at once while nothing reads, since reading takes more CPU than recording. Those of
			// a camera record alone, and so do the fast ones with bzip2.
			victims := newVictims(filepath.Join(dir, fmt.Sprint(after)))
			victims = slices.DeleteFunc(victims, func(v *victim) bool {
				camera, fast := v.pace.name == "camera", v.pace.name == "fast"
				return !thorough && (camera && (v.compression != bagstore.None || v.sink != sinks()[len(sinks())-1]) || fast && v.compression == bagstore.BZ2)
			})
			together := make(map[string][]*victim)
			for _, v := range victims {
				group := string(v.compression)
				switch {
				case v.pace.name == "camera":
					group = v.name
				case v.compression == bagstore.BZ2 && v.pace.name == "fast":
					group += v.pace.name
				}
				together[group] = append(together[group], v)
			}
			for _, group := range together {
				var all sync.WaitGroup
				for _, v := range group {
					all.Go(func() { v.killAfter(t, after) })
				}
				all.Wait()
			}
			for _, v := range victims {
				t.Run(v.name, func(t *testing.T) {
					t.Parallel()
					v.judge(t, ours+lates*v.late, stocks+lates*v.late)
				})
			}
		})
	}
}

// victim is a recorder to be killed.
type victim struct {
	name, path  string
	pace        recordingPace
	sink        bagstore.SinkKind
	compression bagstore.Compression

	sent   arrivals
	killed time.Time
	late   time.Duration // of the recorder's goroutines, at most
}

// newVictims returns a victim for each pace, sink and compression.
func newVictims(prefix string) []*victim {
	var list []*victim
	for _, p := range paces {
		for _, kind := range sinks() {
			for _, c := range []bagstore.Compression{bagstore.None, bagstore.LZ4, bagstore.BZ2} {
				name := fmt.Sprintf("%s-%v-%s", p.name, kind, c)
				list = append(list, &victim{name: name, path: prefix + "-" + name + ".bag", pace: p, sink: kind, compression: c})
			}
		}
	}
	return list
}

// overloaded reports whether the recorder could not keep pace, as when several compress with bzip2 on
// one processor.
func (v *victim) overloaded() bool {
	return time.Duration(len(v.sent))*v.pace.every < v.killed.Sub(v.sent[0])*8/10
}

// judge reads what the recorder left, and deletes it.
func (v *victim) judge(t *testing.T, ours, stocks time.Duration) {
	if len(v.sent) == 0 {
		return // Create may not have returned yet
	}
	stock := v.sent.before(v.killed, stocks)
	if v.compression != bagstore.None && v.overloaded() {
		stock = 0 // what isn't compressed yet isn't in the bag
	}
	judgeKill(t, v.path, v.pace, v.sent, v.sent.before(v.killed, ours), stock)
	for _, path := range append(tails(t, v.path), v.path, v.path+".out", v.path+".probe") {
		_ = os.Remove(path)
	}
}

func judgeKill(t *testing.T, path string, p recordingPace, sent arrivals, least, seenByStock int) {
	t.Helper()
	check := func(what string, got []seen, least int) {
		t.Helper()
		if len(got) < least {
			t.Errorf("%s: %s gives %d messages of %d that were sent; it should have %d", filepath.Base(path), what, len(got), len(sent), least)
		}
		for i, s := range got {
			if want := (stockbag.NewMessage("/kill", bagstore.Time(i+1), stockbag.Text(i, p.size(i)))); s != want {
				t.Fatalf("%s: %s: message %d is %v, want %v", filepath.Base(path), what, i, s, want)
			}
		}
	}
	check("our reader", readAll(t, path, bagstore.OpenOptions{}), least)
	check("a scan", readAll(t, path, bagstore.OpenOptions{Scan: true}), least)
	rep, err := Recover(t.Context(), path, path+".out", bagstore.RecoverOptions{})
	if least > 0 && (err != nil || rep.Outcome == bagstore.Unreadable) { // a message being written may be torn
		t.Errorf("%s: recover: %v %+v", filepath.Base(path), err, rep)
	}
	if err == nil && rep.Outcome != bagstore.Unreadable {
		check("recover", readAll(t, path+".out", bagstore.OpenOptions{}), least)
	}
	if stockbag.Available(t) {
		for name, got := range stockbag.Read(t, path) {
			check(name, stockbag.ByTime(got), seenByStock)
		}
	}
}
