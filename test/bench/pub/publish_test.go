package pub

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/workload"
)

const (
	width, height = 1280, 720
	frame         = "camera_color_optical_frame"
	frames        = 16 // different images, so that the source isn't in the cache
)

// peerMain publishes or subscribes, and reports what that cost.
func peerMain(args []string) error {
	f := flag.NewFlagSet("peer", flag.ExitOnError)
	fps := f.Float64("fps", 90, "images per second")
	seconds := f.Float64("secs", 5, "how long")
	subscribers := f.Int("subs", 1, "wait for this many subscribers")
	topic := f.String("topic", topic, "what to publish")
	peer := f.Bool("goroslib", false, "publish with goroslib's Node")
	subscribe := f.Bool("receive", false, "subscribe instead")
	clients := f.String("foxglove", "", "serve Foxglove's clients on this address, and wait for them instead of subscribers; with -receive: be one")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case *subscribe && *clients != "":
		return watch(*clients, *topic)
	case *subscribe:
		return receive(*topic)
	case *peer:
		return runGoroslib(*topic, *fps, *seconds, *subscribers)
	}
	return run(*topic, *fps, *seconds, *subscribers, *clients)
}

func run(topic string, fps, seconds float64, subscribers int, clients string) error {
	cfg, _, err := ros.ParseArgs(nil, os.Environ())
	if err != nil {
		return err
	}
	log := zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr}).Level(zerolog.WarnLevel)
	n, err := graph.Join(context.Background(), graph.JoinOptions{ROS: cfg, Name: "bench_pub", Unique: true, Log: log})
	if err != nil {
		return err
	}
	defer n.Close() //nolint:errcheck // at the end of the program
	image := msgs.MustType("sensor_msgs/Image")
	arrived := make(chan int, 64)
	p, err := n.Advertise(ros.PublisherOptions{Topic: topic, Type: image,
		Queue: 10, OnSubscriber: func(count int) { arrived <- count }})
	if err != nil {
		return err
	}
	wait := func() error {
		for <-arrived < subscribers {
		}
		return nil
	}
	var others *server
	if clients != "" {
		if others, err = serve(n, clients); err != nil {
			return err
		}
		defer others.Close()
		wait = func() error { return others.await(subscribers) }
	}
	if err := wait(); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond)
	pool := images()
	cpu := cpuSeconds()
	publish(p, pool, fps, seconds)
	if err := p.Flush(context.Background()); err != nil {
		return err
	}
	cost := cpuSeconds() - cpu
	s := p.Stats()
	dropped := s.Dropped
	if others != nil {
		dropped += others.dropped()
	}
	fmt.Printf("PUB rsros fps=%.0f subs=%d images=%d dropped=%d cpu/GB=%.3f\n",
		fps, subscribers, s.Messages, dropped, cost/(float64(s.Messages)*width*height*3/1e9))
	return nil
}

// publish sends the images in turn, each in its own slot of time.
func publish(p *ros.Publisher, pool [][]byte, fps, seconds float64) {
	head := msgs.ImageHead{Header: msgs.Header{FrameID: frame}, Height: height, Width: width,
		Encoding: "rgb8", Step: width * 3, DataLen: width * height * 3}
	var e msgs.Encoder
	start := time.Now()
	for i := range int(fps * seconds) {
		time.Sleep(time.Until(start.Add(time.Duration(float64(i) / fps * 1e9))))
		head.Header.Seq, head.Header.Stamp = uint32(i), msgs.FromTime(time.Now())
		e.B = e.B[:0]
		head.Append(&e)
		p.Publish(msgs.Raw{Head: e.B, Body: pool[i%len(pool)]})
	}
}

func images() [][]byte {
	pool := make([][]byte, frames)
	for i := range pool {
		pool[i] = make([]byte, width*height*3)
		for j := range pool[i] {
			pool[i][j] = byte(j*(i+3) + j>>8)
		}
	}
	return pool
}

// cpuSeconds is the time that this process has spent, its kernel's work included.
func cpuSeconds() float64 {
	user, system := workload.CPUTime()
	return user + system
}
