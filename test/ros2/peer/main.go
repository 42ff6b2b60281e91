//go:build linux

// Command peer is a node of this program's ROS 2, for tests beside others' nodes: it publishes and receives images and
// strings, serves and calls, and prints what came out.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	mapping "rsros/msgs/ros2"
	"rsros/ros2"
)

var (
	role        = flag.String("role", "pub", "pub, sub, latch, tail, graph, serve, call, describe, parameters or hashes")
	topic       = flag.String("topic", "/cam/img", "topic or service")
	seconds     = flag.Float64("seconds", 5, "how long")
	width       = flag.Int("width", 1280, "of images")
	height      = flag.Int("height", 720, "of images")
	rate        = flag.Float64("rate", 30, "of images, in Hz")
	best        = flag.Bool("best-effort", false, "instead of reliable")
	latched     = flag.Bool("latched", false, "transient local")
	wait        = flag.Bool("wait", false, "publish without loss")
	depth       = flag.Int("depth", 10, "of histories")
	peers       = flag.String("peer", "", "address without multicast")
	verbose     = flag.Bool("v", false, "log")
	count       = flag.Int("count", 0, "of images; 0: as many as there is time for")
	name        = flag.String("name", "ours", "of the node")
	subscribers = flag.Int("subscribers", 1, "that are waited for")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, unsupported, err := ros2.FromEnvironment(ctx, os.Getenv)
	check(err)
	for _, s := range unsupported {
		fmt.Println(s)
	}
	config.Name, config.Namespace = *name, "/ns"
	if *verbose {
		config.Log = zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, TimeFormat: "05.000"}).With().Timestamp().Logger()
	}
	if *peers != "" {
		config.Peers = append(config.Peers, netip.MustParseAddr(*peers))
	}
	n, err := ros2.Join(ctx, config)
	check(err)
	defer n.Close()
	limit, cancel := context.WithTimeout(ctx, time.Duration(*seconds*float64(time.Second)))
	defer cancel()
	roles := map[string]func(context.Context, *ros2.Node){"pub": publish, "sub": subscribe, "graph": graph, "latch": latch, "tail": tail,
		"serve": serve, "call": call, "describe": describe, "parameters": parameters, "hashes": hashes}
	roles[*role](limit, n)
}

func check(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func qos() ros2.QoS { return ros2.QoS{Reliable: !*best, TransientLocal: *latched, Depth: *depth} }

func advertise(n *ros2.Node, typ string) *ros2.Publisher {
	definition, hash, _ := mapping.Describe(typ)
	p, err := n.Advertise(ros2.PublisherOptions{Topic: *topic, Type: typ, Hash: hash, Definition: definition, QoS: qos()})
	check(err)
	return p
}

// image returns the head of an image; its pixels follow.
func image(k int) []byte {
	var e msgs.Encoder
	e.BeginCDR()
	e.U32(uint32(k))
	e.U32(uint32(time.Now().Nanosecond()))
	e.String("camera")
	e.U32(uint32(*height))
	e.U32(uint32(*width))
	e.String("rgb8")
	e.U8(0)
	e.U32(uint32(3 * *width))
	e.Len(3 * *width * *height)
	return e.B
}

func publish(ctx context.Context, n *ros2.Node) {
	p := advertise(n, "sensor_msgs/msg/Image")
	start := time.Now()
	for p.Subscribers() < *subscribers && time.Since(start) < 10*time.Second {
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Printf("matched %d after %.3f s\n", p.Subscribers(), time.Since(start).Seconds())
	pixels := make([]byte, 3**width**height)
	for i := range pixels {
		pixels[i] = byte(i % 251)
	}
	time.Sleep(200 * time.Millisecond)
	before := processor()
	k, start := 0, time.Now()
	for ; time.Since(start).Seconds() < *seconds && (*count == 0 || k < *count); k++ {
		m := msgs.Raw{Head: image(k), Body: pixels}
		if *wait {
			limit, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			check(p.PublishWait(limit, m))
			cancel()
		} else {
			p.Publish(m)
		}
		time.Sleep(time.Until(start.Add(time.Duration(float64(k+1) / *rate * 1e9))))
	}
	used := processor() - before
	flush, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := p.Flush(flush)
	lost := uint64(0)
	for _, l := range p.Lost() {
		lost += l
	}
	gigabytes := float64(k) * float64(len(pixels)) / 1e9
	fmt.Printf("sent %d cpu %.2f s, %.2f s/GB, lost %d, flush %v\n", k, used, used/gigabytes, lost, err)
}

func processor() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u) //nolint:errcheck // it can't fail
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func subscribe(ctx context.Context, n *ros2.Node) {
	var got, bad, bytes atomic.Int64
	s, err := n.Subscribe(ros2.SubscriberOptions{Topic: *topic, Type: "sensor_msgs/msg/Image", QoS: qos(), Callback: func(r ros2.Received) {
		got.Add(1)
		bytes.Add(int64(len(r.Data)))
		if len(r.Data) < 8 || binary.LittleEndian.Uint32(r.Data) == 0 {
			bad.Add(1)
		}
	}})
	check(err)
	before := processor()
	<-ctx.Done()
	fmt.Printf("got %d, malformed %d, %d bytes, cpu %.2f s/GB\n", got.Load(), bad.Load(), bytes.Load(), (processor()-before)/(float64(bytes.Load())/1e9))
	for _, c := range s.Counts() {
		fmt.Printf("publisher: received %d lost %d\n", c.Received, c.Lost)
	}
}

func latch(ctx context.Context, n *ros2.Node) {
	p := advertise(n, "std_msgs/msg/String")
	var e msgs.Encoder
	e.BeginCDR()
	e.String("ours latched")
	p.Publish(msgs.Raw{Head: e.B})
	<-ctx.Done()
}

func tail(ctx context.Context, n *ros2.Node) {
	_, err := n.Subscribe(ros2.SubscriberOptions{Topic: *topic, Type: "std_msgs/msg/String", QoS: qos(), Callback: func(r ros2.Received) {
		fmt.Printf("heard %s\n", msgs.NewCDRDecoder(r.Data).String())
	}})
	check(err)
	<-ctx.Done()
}

func graph(ctx context.Context, n *ros2.Node) {
	<-ctx.Done()
	g := n.Graph()
	for _, p := range g.Participants {
		fmt.Println("participant", p.GUID, p.Enclave, p.Nodes)
	}
	for _, t := range slices.Sorted(maps.Keys(g.Topics())) {
		fmt.Println("topic", t, g.Topics()[t])
	}
	for _, t := range slices.Sorted(maps.Keys(g.Services())) {
		fmt.Println("service", t, g.Services()[t])
	}
}

const trigger = "std_srvs/srv/Trigger"

func serve(ctx context.Context, n *ros2.Node) {
	_, err := n.Serve(*topic, trigger, func(context.Context, []byte) ([]byte, error) {
		var e msgs.Encoder
		e.BeginCDR()
		e.Bool(true)
		e.String("our answer")
		return e.B, nil
	})
	check(err)
	<-ctx.Done()
}

func call(ctx context.Context, n *ros2.Node) {
	start := time.Now()
	b, err := n.Call(ctx, *topic, trigger, []byte{0, 1, 0, 0, 0, 0, 0, 0})
	check(err)
	d := msgs.NewCDRDecoder(b)
	fmt.Printf("answer %v %q after %.3f s\n", d.Bool(), d.String(), time.Since(start).Seconds())
}

// hashes prints the hashes that halves of services have: node, type, whether it is the half that sends, hash.
func hashes(ctx context.Context, n *ros2.Node) {
	<-ctx.Done()
	for _, e := range n.Graph().Endpoints {
		if e.Service {
			fmt.Println(e.Node, e.Type, e.Server, e.Publisher, e.Hash)
		}
	}
}

// describe asks the publisher of a topic for its type.
func describe(ctx context.Context, n *ros2.Node) {
	for {
		for _, e := range n.Graph().Publishers(*topic) {
			if e.Node == "" {
				continue
			}
			definition, err := n.DescribeType(ctx, e.Node, e.Type, e.Hash)
			check(err)
			_, hash, _ := mapping.Describe(e.Type)
			fmt.Printf("%s of %s: %d bytes, hash as ours %v\n%s\n", e.Type, e.Node, len(definition), hash == e.Hash, definition)
			return
		}
		select {
		case <-ctx.Done():
			fmt.Println("nobody publishes", *topic)
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// exposure is a parameter that others may set.
type exposure struct {
	mu    sync.Mutex
	value int64
}

func (x *exposure) List() []string { return []string{"depth_module.exposure"} }

func (x *exposure) Describe(name string) (ros2.Description, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return ros2.Description{Name: name, Text: "in microseconds", Range: &[3]float64{1, 200, 1}, Value: x.value}, name == x.List()[0]
}

func (x *exposure) Set(list []ros2.Parameter) (changed []ros2.Parameter, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range list {
		v, ok := p.Value.(int64)
		if p.Name != x.List()[0] || !ok || v > 200 {
			return nil, fmt.Errorf("%s = %v: want %s up to 200", p.Name, p.Value, x.List()[0])
		}
		x.value = v
	}
	return list, nil
}

func parameters(ctx context.Context, n *ros2.Node) {
	_, err := n.ServeParameters(&exposure{value: 33})
	check(err)
	<-ctx.Done()
}
