// Command rs-ros-node publishes a RealSense camera into a ROS 1 graph, records
// it into bags and plays bags back, without a ROS installation.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"rsros/bagstore/place"
	"rsros/bagstore/place/s3"
)

func main() {
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		ending = append(ending, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ending...)
	place.Register(s3.Scheme, &s3.Store{}) // sends nothing
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr, os.Exit}, os.Environ())
	stop()
	os.Exit(code)
}
