// Package bench measures the program's commands: their start, conversions, data sets, recordings in a bucket and viewers.
package bench

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/tools/info"
)

// line is a command with its measurements.
type line struct {
	name        string
	args        []string
	player      bool // interrupted after its first message
	used, clock []time.Duration
}

// BenchmarkStart measures --help, version, info of the bag BENCH_BAG, and the time from the
// start of a player to its first message, in turns with the stock tools.
//
// Players don't wait for subscribers (--delay 0). The subscriber, of the topic with the most
// messages, is there before them.
func BenchmarkStart(b *testing.B) {
	bag := need.Variable(b, "BENCH_BAG")
	need.Programs(b, "rosbag")
	program := peer.Released(b)
	lines := []*line{
		{name: "--help", args: []string{program, "--help"}},
		{name: "version", args: []string{program, "version"}},
		{name: "info", args: []string{program, "info", bag}},
		{name: "play to the first message", args: []string{program, "play", "--quiet", "--delay", "0", bag}, player: true},
		{name: "rosbag --help", args: []string{"rosbag", "--help"}},
		{name: "rosbag info", args: []string{"rosbag", "info", bag}},
		{name: "rosbag play to the first message", args: []string{"rosbag", "play", "--quiet", "--delay", "0", bag}, player: true},
	}
	master := rig.Master(b)
	env := peer.Env(b, master.URI())
	node, err := ros.NewNode(b.Context(), ros.Config{Name: "watcher", MasterURI: master.URI(), Host: "127.0.0.1", Log: zerolog.Nop()})
	need.Must(b, err)
	defer node.Close()
	arrived := make(chan time.Time, 1)
	sub, err := node.Subscribe(ros.SubscriberOptions{Topic: busiest(b, bag)}, func(ros.Received) {
		select {
		case arrived <- time.Now():
		default:
		}
	})
	need.Must(b, err)
	for b.Loop() {
		for _, l := range lines {
			began := time.Now()
			if l.player {
				p := peer.Start(b, env, l.args[0], l.args[1:]...)
				l.clock = append(l.clock, (<-arrived).Sub(began))
				p.Interrupt()
				peer.Await(b, "the player has left", func() bool { return sub.Publishers() == 0 })
				select {
				case <-arrived:
				default:
				}
				continue
			}
			cmd := exec.Command(l.args[0], l.args[1:]...)
			cmd.Env = env
			if err := cmd.Run(); err != nil {
				b.Fatalf("%s: %v", l.name, err)
			}
			l.clock = append(l.clock, time.Since(began))
			l.used = append(l.used, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	b.ReportMetric(0, "ns/op")
	b.Logf("median (smallest to largest), ms\n%-34s%-24s%s", "", "user + system", "clock")
	for _, l := range lines {
		b.Logf("%-34s%-24s%s", l.name, spread(l.used), spread(l.clock))
	}
}

// busiest returns the topic with the most messages. The master publishes /rosout, too.
func busiest(b *testing.B, bag string) string {
	r := samplebag.Open(b, bag)
	topics := slices.DeleteFunc(info.Topics(r), func(t info.TopicSummary) bool { return strings.HasPrefix(t.Topic, "/rosout") })
	return slices.MaxFunc(topics, func(x, y info.TopicSummary) int { return int(x.Messages) - int(y.Messages) }).Topic
}

func spread(list []time.Duration) string {
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
	return fmt.Sprintf("%.1f (%.1f-%.1f)", ms(list[len(list)/2]), ms(list[0]), ms(list[len(list)-1]))
}
