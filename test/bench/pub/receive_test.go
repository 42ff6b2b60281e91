package pub

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros"
)

// arrivals counts the messages of one topic by the sequence numbers of their headers.
type arrivals struct {
	count       int
	first, last uint32 // sequence numbers
	begin, end  time.Time
	cpu         float64 // of this process, at the first message
}

// take is called for one message after another.
func (a *arrivals) take(r ros.Received) {
	seq := binary.LittleEndian.Uint32(r.Data)
	if a.count == 0 {
		a.first, a.begin, a.cpu = seq, r.Time, cpuSeconds()
	}
	a.last, a.end = seq, r.Time
	a.count++
}

// report prints how often messages came, how many are missing between them, and what their bytes cost.
func (a *arrivals) report(kind, topic string, bytes float64) {
	seconds := max(a.end.Sub(a.begin).Seconds(), 1e-9)
	fmt.Printf("SUB %s %s messages=%d rate=%.2f missing=%d cpu/GB=%.3f\n", kind, topic, a.count, float64(a.count-1)/seconds,
		int(a.last-a.first)+1-a.count, (cpuSeconds()-a.cpu)/(bytes/1e9))
}

// receive subscribes with ros until its publisher has gone, and says how often
// messages with a header came, how many are missing between them, and what that
// cost.
func receive(topic string) error {
	cfg, _, err := ros.ParseArgs(nil, os.Environ())
	if err != nil {
		return err
	}
	cfg.Name, cfg.Anonymous, cfg.Log = "bench_sub", true, zerolog.Nop()
	n, err := ros.NewNode(context.Background(), cfg)
	if err != nil {
		return err
	}
	defer n.Close() //nolint:errcheck // at the end of the program
	var got arrivals
	begun := make(chan struct{})
	s, err := n.Subscribe(ros.SubscriberOptions{Topic: topic}, func(r ros.Received) {
		if got.take(r); got.count == 1 {
			close(begun)
		}
	})
	if err != nil {
		return err
	}
	<-begun
	for s.Publishers() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	c := s.Stats()
	if err := n.Close(); err != nil { // and no callback runs
		return err
	}
	got.report("rsros", topic, float64(c.Bytes))
	return nil
}
