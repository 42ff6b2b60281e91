// Command view measures what viewers cost the program: it starts the view command on the
// simulated camera with depth and colour of 1280x720 at 30, connects viewers that take every
// picture at once, and prints the program's processor time, its memory and what arrived.
//
//	go run ./test/bench/view [-viewers 0,1,2,4] [-codec raw] [-seconds 10]
//
// With -bag it opens a RealSense recording again and again, and seeks in it: the times
// from the request to the first depth picture. With -cold the recording isn't in the page
// cache when it is opened.
//
//	go run ./test/bench/view -bag walk.bag [-times 100] [-cold]
//
// With -program it measures that program, and not one that it builds.
//
// With -page it opens the page in Chromium, and prints how late pictures are when the page
// has drawn them.
//
//	go run ./test/bench/view -page [-codec raw] [-seconds 10]
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"rsros/node/view/wire"
)

var (
	viewers = flag.String("viewers", "0,1,2,4", "numbers of viewers, one after the other")
	codec   = flag.String("codec", "raw", "raw or packed")
	seconds = flag.Float64("seconds", 10, "how long each number is measured")
	bag     = flag.String("bag", "", "open and seek in this recording instead")
	times   = flag.Int("times", 100, "how often -bag seeks; it opens the recording a tenth as often")
	cold    = flag.Bool("cold", false, "have -bag's recording read from the disk each time it is opened")
	built   = flag.String("program", "", "the rs-ros-node to measure (default: build it)")
	page    = flag.Bool("page", false, "measure how late pictures are in Chromium instead")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	folder, err := os.MkdirTemp("", "view")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	program := *built
	if program == "" {
		program = filepath.Join(folder, "rs-ros-node")
		if out, err := exec.Command("go", "build", "-o", program, "./cmd/rs-ros-node").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w: %s", err, out)
		}
	}
	if *bag != "" {
		return recording(program, *bag)
	}
	cmd, url, err := view(program, "--depth", "1280x720@30", "--color", "1280x720@30", "--infra1", "off", "--infra2", "off",
		"--gyro", "off", "--accel", "off", "sim")
	if err != nil {
		return err
	}
	defer stop(cmd)
	if *page {
		return latencies(url)
	}
	url += "api/ws"
	fmt.Printf("%s, depth and colour of 1280x720 at 30\n%7s %11s %9s %14s %9s\n", *codec, "viewers", "processors", "MB/s", "pictures/s", "MiB")
	for i, text := range strings.Split(*viewers, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		if i == 0 { // the camera draws its scene before it needs no time for it
			if err := measure(url, cmd.Process.Pid, max(n, 1), 2*time.Duration(*seconds*float64(time.Second)), false); err != nil {
				return err
			}
		}
		if err := measure(url, cmd.Process.Pid, n, time.Duration(*seconds*float64(time.Second)), true); err != nil {
			return err
		}
	}
	return nil
}

// view starts the view command, and returns the address of its page.
func view(program string, args ...string) (*exec.Cmd, string, error) {
	cmd := exec.Command(program, append([]string{"view", "--no-open"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop(cmd)
		return nil, "", fmt.Errorf("address of the page: %w", err)
	}
	return cmd, strings.TrimSpace(url), nil
}

func stop(cmd *exec.Cmd) {
	cmd.Process.Signal(os.Interrupt) //nolint:errcheck // it may have ended
	cmd.Wait()                       //nolint:errcheck // as above
}

// measure runs n viewers for a while.
func measure(url string, pid, n int, span time.Duration, report bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var pictures, size atomic.Int64
	var all sync.WaitGroup
	for range n {
		conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}})
		if err != nil {
			return err
		}
		conn.SetReadLimit(64 << 20)
		all.Go(func() {
			defer conn.CloseNow() //nolint:errcheck // at the end
			watch(ctx, conn, &pictures, &size)
		})
	}
	time.Sleep(time.Second) // until all have their first pictures
	before, begun := used(pid), time.Now()
	had, bytes := pictures.Load(), size.Load()
	time.Sleep(span)
	wall := time.Since(begun).Seconds()
	if report {
		fmt.Printf("%7d %11.3f %9.1f %14.1f %9.1f\n", n, (used(pid)-before)/wall, float64(size.Load()-bytes)/wall/1e6, float64(pictures.Load()-had)/wall, resident(pid))
	}
	cancel()
	all.Wait()
	return nil
}

// watch is one viewer, which takes depth and colour.
func watch(ctx context.Context, conn *websocket.Conn, pictures, size *atomic.Int64) {
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
			pictures.Add(1)
			size.Add(int64(len(data)))
			say(ctx, conn, map[string]any{"op": "credit", "stream": binary.LittleEndian.Uint16(data[2:]), "upto": binary.LittleEndian.Uint32(data[4:])})
			continue
		}
		var hello wire.Hello
		if json.Unmarshal(data, &hello) == nil && hello.Op == "hello" {
			for _, s := range hello.Source.Streams {
				say(ctx, conn, map[string]any{"op": "subscribe", "stream": s.ID, "codec": *codec, "divisor": 1})
			}
		}
	}
}

func say(ctx context.Context, conn *websocket.Conn, message map[string]any) {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err) // numbers and strings can be encoded
	}
	conn.Write(ctx, websocket.MessageText, text) //nolint:errcheck // the next Read fails, too
}

// report prints how long something took, in milliseconds.
func report(what string, took []float64) {
	slices.Sort(took)
	at := func(part float64) float64 { return took[int(part*float64(len(took)-1)+0.5)] }
	fmt.Printf("%-28s %6d times: p50 %.1f ms, p99 %.1f ms, longest %.1f ms\n", what, len(took), at(0.5), at(0.99), at(1))
}

// used is a process's processor time in seconds.
func used(pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		log.Fatal(err)
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var ticks float64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseFloat(string(f), 64)
		if err != nil {
			log.Fatal(err)
		}
		ticks += n
	}
	return ticks / 100 // USER_HZ
}

// resident is a process's memory in MiB that no file is behind.
func resident(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		log.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64) // 0 says that it is unknown
	return n / 1024
}
