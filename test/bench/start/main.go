// Command start measures how long the program takes to start, in turns with the stock tools: processor time and time
// of the clock for --help, version and info of a bag, and from the start of a player to the first message that a
// subscriber gets.
//
//	go run ./test/bench/start [-rounds 20] BAG
//
// Both players begin without their usual wait for subscribers (--delay 0). The subscriber takes the topic with
// the most messages; it is there before.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/tools/info"
	"rsros/node/graph"
	"rsros/node/ros"
)

var rounds = flag.Int("rounds", 20, "how often each command is measured")

func main() {
	flag.Parse()
	if err := run(context.Background(), flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, bag string) error {
	dir, err := os.MkdirTemp("", "rs-ros-node-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	program := filepath.Join(dir, "rs-ros-node")
	build := exec.Command("go", "build", "-o", program, "./cmd/rs-ros-node")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	w, err := newWatcher(ctx, bag)
	if err != nil {
		return err
	}
	defer w.close()
	lines := []*line{
		{name: "--help", args: []string{program, "--help"}},
		{name: "version", args: []string{program, "version"}},
		{name: "info", args: []string{program, "info", bag}},
		{name: "play to the first message", args: []string{program, "play", "--quiet", "--delay", "0", bag}, player: true},
		{name: "rosbag --help", args: []string{"rosbag", "--help"}},
		{name: "rosbag info", args: []string{"rosbag", "info", bag}},
		{name: "rosbag play to the first message", args: []string{"rosbag", "play", "--quiet", "--delay", "0", bag}, player: true},
	}
	for range *rounds {
		for _, l := range lines {
			if err := l.measure(w); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
		}
	}
	fmt.Printf("median (smallest to largest) of %d, ms\n%-34s%-24s%s\n", *rounds, "", "user + system", "clock")
	for _, l := range lines {
		fmt.Printf("%-34s%-24s%s\n", l.name, spread(l.used), spread(l.clock))
	}
	return nil
}

// line is a command and what was measured of it.
type line struct {
	name        string
	args        []string
	player      bool // it runs until the subscriber has a message
	used, clock []time.Duration
}

func (l *line) measure(w *watcher) error {
	cmd := exec.Command(l.args[0], l.args[1:]...)
	cmd.Env = append(os.Environ(), "ROS_MASTER_URI="+w.master.URI(), "ROS_IP=127.0.0.1")
	w.forget()
	began := time.Now()
	if !l.player {
		err := cmd.Run()
		l.clock = append(l.clock, time.Since(began))
		if err == nil {
			l.used = append(l.used, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	select {
	case at := <-w.first:
		l.clock = append(l.clock, at.Sub(began))
	case <-time.After(time.Minute):
		return errors.Join(errors.New("no message within a minute"), cmd.Process.Kill())
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	_ = cmd.Wait() // it was interrupted
	return w.alone()
}

// watcher is a subscriber, with a master of its own.
type watcher struct {
	master *graph.Master
	node   *ros.Node
	sub    *ros.Subscriber
	first  chan time.Time
}

func newWatcher(ctx context.Context, bag string) (*watcher, error) {
	s, err := info.OfFile(ctx, bag, info.Options{})
	if err != nil {
		return nil, err
	}
	// The master publishes these, too.
	topics := slices.DeleteFunc(s.Topics, func(t info.TopicSummary) bool { return strings.HasPrefix(t.Topic, "/rosout") })
	if len(topics) == 0 {
		return nil, fmt.Errorf("%s has no messages", bag)
	}
	most := slices.MaxFunc(topics, func(a, b info.TopicSummary) int { return int(a.Messages) - int(b.Messages) })
	w := &watcher{first: make(chan time.Time, 1)}
	if w.master, err = graph.StartMaster(ctx, graph.MasterOptions{Address: "127.0.0.1:0", Host: "127.0.0.1", Log: zerolog.Nop()}); err != nil {
		return nil, err
	}
	if w.node, err = ros.NewNode(ctx, ros.Config{Name: "watcher", MasterURI: w.master.URI(), Host: "127.0.0.1", Log: zerolog.Nop()}); err != nil {
		return nil, err
	}
	w.sub, err = w.node.Subscribe(ros.SubscriberOptions{Topic: most.Topic}, func(ros.Received) {
		select {
		case w.first <- time.Now():
		default:
		}
	})
	return w, err
}

// forget forgets the message of the player before.
func (w *watcher) forget() {
	select {
	case <-w.first:
	default:
	}
}

// alone waits until the player's connection has ended.
func (w *watcher) alone() error {
	for end := time.Now().Add(time.Minute); w.sub.Publishers() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return errors.New("the player doesn't go away")
		}
	}
	return nil
}

func (w *watcher) close() {
	w.node.Close()
	w.master.Close() //nolint:errcheck // at the end
}

// spread is the median with the smallest and the largest.
func spread(list []time.Duration) string {
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
	return fmt.Sprintf("%.1f (%.1f-%.1f)", ms(list[len(list)/2]), ms(list[0]), ms(list[len(list)-1]))
}
