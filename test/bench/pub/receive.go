package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/ros"
)

// receive subscribes with node/ros until its publisher has gone, and says what
// that cost.
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
	var first sync.Once
	begun := make(chan struct{})
	cpu := 0.0
	s, err := n.Subscribe(ros.SubscriberOptions{Topic: topic}, func(ros.Received) {
		first.Do(func() { cpu = cpuSeconds(); close(begun) })
	})
	if err != nil {
		return err
	}
	<-begun
	for s.Publishers() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	c := s.Stats()
	fmt.Printf("SUB rsros images=%d cpu/GB=%.3f\n", c.Messages, (cpuSeconds()-cpu)/(float64(c.Bytes)/1e9))
	return nil
}
