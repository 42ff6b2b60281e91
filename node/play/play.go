// Package play plays bags into the graph, like `rosbag play`: it opens the bags, joins the graph, and connects replay's
// player to publishers, to the keyboard and to a status line on the terminal.
//
// Run waits for every goroutine that it starts.
package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/node/bridge"
	"rsros/node/naming"
	"rsros/node/settings"
	"rsros/node/view"
	"rsros/program"
	"rsros/replay"
	"rsros/ros"
	"rsros/ros/graph"
)

// Options are the settings of a replay. Zero values mean the defaults.
type Options struct {
	ROS    graph.Config  // the default name is play_ and a unique suffix, as in rosbag
	Master graph.Mode    `setting:"master"`
	Worlds bridge.Worlds `setting:"ros"`
	QoS    []string      `setting:"qos"` // see bridge.Options
	Bags   []string      `setting:"bags"`

	Replay replay.Settings

	Queue            int    `setting:"queue"`              // as that of ros.PublisherOptions
	RateControlTopic string `setting:"rate-control-topic"` // playback waits while the header stamps of this topic lag
	LossyOK          bool   `setting:"lossy-ok"`           // losses of slow subscribers aren't an error

	// default sdk: as recorded; wrapper plays one RealSense bag as realsense2_camera's topics
	Naming  naming.Choice `setting:"naming"`
	Wrapper naming.WrapperOptions

	// RealSense recordings are played by the times in the file, not on the time line of their stamps
	FileTime bool `setting:"file-time"`

	HTTP view.Access // the zero value serves nothing

	Keys  *os.File  // nil for no keys
	Out   io.Writer // for the state line; may be nil
	Quiet bool      // no state line

	Given settings.Given // which settings flags have set

	Log zerolog.Logger
}

func (o *Options) Settings() settings.Fields {
	return settings.Fields{
		"camera": &o.Wrapper.Camera, "start": settings.Parsed(&o.Replay.Start, bagstore.ParseMoment),
		"end":        settings.Parsed(&o.Replay.End, bagstore.ParseMoment),
		"loop-range": settings.Parsed(&o.Replay.LoopRange, replay.ParseRange),
	}
}

// Run plays bags into the graph until their end, Stop, or the end of ctx.
//
// If a bag can't be opened, it returns bagstore's error. Other errors wrap program.ErrUsage, program.ErrNoMaster, or
// program.ErrIncomplete if something couldn't be published or slow subscribers lost messages.
func Run(ctx context.Context, o Options) error {
	s := session{Options: o}
	problems, err := s.run(ctx)
	if err := errors.Join(err, s.close()); err != nil {
		return err
	}
	if len(problems) > 0 {
		return fmt.Errorf("%w: %s", program.ErrIncomplete, strings.Join(problems, "; "))
	}
	return nil
}

// recording opens the recording to play as realsense2_camera's topics, or returns nil.
func (o *Options) recording(bags []*bagstore.Recording) (*rsbag.File, error) {
	switch {
	case o.Naming == naming.Both:
		return nil, fmt.Errorf("%w: a bag is played under one naming, sdk or wrapper; live --device %s has both",
			program.ErrUsage, o.Bags[0])
	case o.Naming != naming.Wrapper:
		return nil, nil
	case o.FileTime:
		return nil, fmt.Errorf("%w: --file-time is for the topics as recorded, which --naming sdk plays", program.ErrUsage)
	case len(bags) != 1:
		return nil, fmt.Errorf("%w: --naming wrapper plays one RealSense bag, not %d", program.ErrUsage, len(bags))
	}
	return rsbag.Open(bags[0].Path(),
		rsbag.Options{Bag: bags[0], CameraNodes: true, Camera: o.Wrapper.Camera, Lenient: true})
}

// wrapper applies private parameters where no flag is set.
func (o *Options) wrapper(ctx context.Context, n *ros.Node, recording *rsbag.File) (*naming.Source, error) {
	values, err := graph.PrivateParams(ctx, n)
	if err != nil {
		return nil, err
	}
	p := settings.NewReader(values)
	camera := settings.Fields{"camera": &o.Wrapper.Camera}
	o.Given = o.Given.Clone()
	settings.Play.Fill(p, o.Given, camera, &o.Wrapper)
	if err := p.Err(); err != nil {
		return nil, err
	}
	settings.Play.Complete(o.Given, camera, &o.Wrapper)
	source, err := naming.OpenSource(recording, o.Wrapper, time.Now(), n.Log())
	if err != nil {
		return nil, err
	}
	log := n.Log()
	for _, text := range source.Problems() {
		log.Warn().Msg(text)
	}
	if err := source.Offer(ctx, n, o.Replay.Prefix); err != nil {
		source.Close()
		return nil, err
	}
	return source, nil
}

// immediateBytes is the bound of a subscriber's queue, enough to keep a socket busy.
const immediateBytes = 8 << 20

// check refuses contradicting settings.
func (o *Options) check() error {
	r := &o.Replay
	if err := r.Check(); err != nil {
		return err
	}
	if r.FollowClock && r.ClockHz > 0 {
		return errors.New("following and publishing a clock exclude each other")
	}
	if r.Restamp && r.ClockHz > 0 {
		return errors.New("restamping and publishing a clock exclude each other: stamps would be now, but /clock the bag's time")
	}
	return nil
}

func (o *Options) title() string {
	title := place.Base(o.Bags[0])
	if n := len(o.Bags) - 1; n > 0 {
		title += fmt.Sprintf(" and %d more", n)
	}
	return title
}
