// Package pub publishes 1280x720 rgb8 images at a steady rate and reports what that cost: CPU seconds per
// 1e9 bytes published (not times subscribers), and drops. The benchmarks start the test program again as
// publisher, with ros and with goroslib's Node, and run a roscpp publisher, all with the same roscpp
// subscribers. They also start it with ros for ROS subscribers and for Foxglove clients.
package pub

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rsros/test/need"
)

func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "peer" {
		os.Exit(m.Run())
	}
	if err := peerMain(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "pub:", err)
		os.Exit(1)
	}
}

// BenchmarkPublish compares publishers of 1280x720 rgb8 images before the same
// roscpp subscribers: CPU seconds of the publisher per 1e9 bytes published, and
// images that subscribers missed. Each run lasts BENCH_SECS seconds (default 4);
// the kinds follow each other so that all see the same machine.
func BenchmarkPublish(b *testing.B) {
	need.Programs(b, "rosmaster", "g++")
	roscpp := build(b)
	secs := cmp.Or(os.Getenv("BENCH_SECS"), "4")
	for _, subscribers := range []string{"1", "3"} {
		for _, fps := range []string{"90", "180"} {
			for _, kind := range []struct {
				name string
				args []string
			}{
				{"roscpp", []string{roscpp, "pub", topic, fps, secs, subscribers}},
				{"rsros", []string{os.Args[0], "peer", "-topic", topic, "-fps", fps, "-secs", secs, "-subs", subscribers}},
				{"goroslib", []string{os.Args[0], "peer", "-goroslib", "-topic", topic, "-fps", fps, "-secs", secs, "-subs", subscribers}},
			} {
				b.Run(fmt.Sprintf("subs=%s/fps=%s/%s", subscribers, fps, kind.name), func(b *testing.B) {
					report(b, subscribers, []string{roscpp, "sub", topic}, kind.args)
				})
			}
		}
	}
}

// BenchmarkFoxglove compares what a node's images cost its process before subscribers of
// ROS and before Foxglove's clients, as BenchmarkPublish does.
func BenchmarkFoxglove(b *testing.B) {
	need.Programs(b, "rosmaster")
	for _, subscribers := range []string{"1", "3"} {
		for _, fps := range []string{"30", "90", "180"} {
			for _, kind := range []string{"tcpros", "foxglove"} {
				b.Run(fmt.Sprintf("subs=%s/fps=%s/%s", subscribers, fps, kind), func(b *testing.B) {
					subscriber := []string{os.Args[0], "peer", "-receive", "-topic", topic}
					args := []string{os.Args[0], "peer", "-topic", topic, "-fps", fps, "-secs", "4", "-subs", subscribers}
					if kind == "foxglove" {
						clients := []string{"-foxglove", freeAddress(b)}
						subscriber, args = append(subscriber, clients...), append(args, clients...)
					}
					report(b, subscribers, subscriber, args)
				})
			}
		}
	}
}

const topic = "/camera/color/image_raw"

// build makes the roscpp program.
func build(b *testing.B) (path string) {
	path = filepath.Join(b.TempDir(), "roscpp")
	libs := strings.Fields("-lroscpp -lrosconsole -lroscpp_serialization -lrostime -lcpp_common -lboost_thread -lboost_system -lpthread")
	if out, err := exec.Command("g++", append([]string{"-O2", "-std=gnu++17", "peer/roscpp.cpp", "-o", path}, libs...)...).CombinedOutput(); err != nil {
		need.Missing(b, "g++: %v\n%s", err, out)
	}
	return path
}

// freeAddress returns an address on which nobody listens now.
func freeAddress(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(b, err)
	defer l.Close()
	return l.Addr().String()
}

// master starts a rosmaster on a free port and returns the peers' environment.
func master(b *testing.B) []string {
	_, port, _ := net.SplitHostPort(freeAddress(b))
	env := append(os.Environ(), "ROS_MASTER_URI=http://127.0.0.1:"+port, "ROS_IP=127.0.0.1", "ROS_LOG_DIR="+b.TempDir())
	cmd := exec.Command("rosmaster", "--core", "-p", port)
	cmd.Env = env
	need.Must(b, cmd.Start())
	b.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() }) //nolint:errcheck // interrupted
	for {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			conn.Close()
			return env
		}
		time.Sleep(50 * time.Millisecond)
	}
}

var number = regexp.MustCompile(`(PUB.* cpu/GB|SUB.* missing)=([0-9.]+)`)

// report measures how much a publisher costs, and what subscribers miss.
func report(b *testing.B, subscribers string, subscriber, publisher []string) {
	env := master(b)
	cost, missing := 0.0, 0.0
	for b.Loop() {
		c, m := measure(b, env, subscribers, subscriber, publisher)
		cost, missing = cost+c, missing+m
	}
	b.ReportMetric(cost/float64(b.N), "cpu-s/GB")
	b.ReportMetric(missing/float64(b.N), "missing")
	b.ReportMetric(0, "ns/op") // the run is paced, its length says nothing
}

// measure runs subscribers and a publisher once.
func measure(b *testing.B, env []string, subscribers string, subscriber, args []string) (cost, missing float64) {
	count, _ := strconv.Atoi(subscribers)
	outputs := make([]string, count+1)
	var wg sync.WaitGroup
	command := func(i int, args []string) {
		cmd := exec.CommandContext(b.Context(), args[0], args[1:]...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		outputs[i] = string(out)
		if err != nil {
			b.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	for i := range count {
		wg.Go(func() { command(i, subscriber) })
	}
	wg.Go(func() { command(count, args) })
	wg.Wait()
	for _, out := range outputs {
		for _, m := range number.FindAllStringSubmatch(out, -1) {
			v, _ := strconv.ParseFloat(m[2], 64)
			if strings.HasPrefix(m[1], "SUB") {
				missing += v
			} else {
				cost += v
			}
		}
		b.Log(strings.TrimSpace(out))
	}
	return cost, missing
}
