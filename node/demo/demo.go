// Package demo records the simulated camera, replays the bag and compares every frame, without any other program.
//
// It calls node/live and node/play as the commands do. Run waits for every goroutine that it starts.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/rosbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/live"
	"rsros/node/naming"
	"rsros/node/play"
	"rsros/program"
	"rsros/program/work"
	"rsros/record"
	"rsros/replay"
	"rsros/ros"
	"rsros/ros/graph"
)

// Options are the settings of Run.
type Options struct {
	Output   string        `setting:"output"`   // the bag's folder; default: a temporary one, which is removed
	Duration time.Duration `setting:"duration"` // length of the recording
	Streams  live.StreamSettings
	Out      io.Writer // for the steps and the table
	Log      zerolog.Logger
	// Rosout must be set if Log writes to it.
	Rosout *ros.LogWriter
	// Progress, if set, shows the progress of a long step in milliseconds.
	Progress func(what string) (report bagstore.Progress, done func())
}

// Run starts a master, publishes and records the simulated camera, plays the bag back with a clock, and compares every
// frame that a subscriber receives with the camera's. The error wraps program.ErrIncomplete if any was lost or changed.
func Run(ctx context.Context, o Options) (err error) {
	d := &demo{Options: o, ledger: newLedger()}
	d.step("demo", "publishes, records and replays a simulated camera: %v in all, or minutes on a small board",
		(2*o.Duration + overhead).Round(time.Second))
	if o.Log.GetLevel() == zerolog.InfoLevel {
		o.Log = o.Log.Level(zerolog.WarnLevel) // the steps say it
	}
	dir := o.Output
	if dir == "" {
		if dir, err = os.MkdirTemp("", "rs-ros-node-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	master, err := graph.StartMaster(ctx, graph.MasterOptions{Address: "127.0.0.1:0", Host: "127.0.0.1", Log: o.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, master.Close()) }()
	d.Options, d.master, d.bag = o, master.URI(), filepath.Join(dir, "demo.bag")
	d.step("master", "%s", d.master)
	if err := d.record(ctx); err != nil {
		return err
	}
	if err := d.replay(ctx); err != nil {
		return err
	}
	return d.report()
}

// overhead is how long drawing the scene takes on a desktop computer, about.
const overhead = 5 * time.Second

type demo struct {
	Options
	master  string
	bag     string
	ledger  *ledger
	summary record.Figures
	clocks  int // clock messages seen
}

func (d *demo) config(name string) ros.Config {
	return ros.Config{Name: name, MasterURI: d.master, Host: "127.0.0.1", Log: d.Log}
}

// record publishes and records the simulated camera, and adds its frames to the ledger.
func (d *demo) record(ctx context.Context) error {
	conf := d.config("camera_node")
	conf.Rosout = d.Rosout
	d.step("scene", "is drawn: about %v", overhead)
	n, err := live.Start(ctx, live.Options{
		ROS: conf, Source: live.SourceOptions{Device: "sim"}, Streams: d.Streams,
		Naming: naming.Both, Record: d.bag, Duration: d.Duration, Log: d.Log, Observer: d.ledger,
	})
	if err != nil {
		return err
	}
	d.step("camera", "%s\n          %s", camdriver.Find(n.Device().Info(), camdriver.InfoName),
		live.DescribeProfiles(n.Profiles()))
	size := program.SizeText(int64(float64(record.Speed(n.Profiles())) * d.Duration.Seconds()))
	d.step("record", "%v into %s, about %s", d.Duration, d.bag, size)
	done := d.progress("record")
	err = n.Wait(ctx)
	done()
	err = errors.Join(err, n.Close(), ctx.Err())
	if d.summary = n.LastRecording(); len(d.summary.Paths) == 1 {
		d.bag = d.summary.Paths[0] // its name if demo.bag was taken
	}
	d.ledger.profiles = n.Profiles()
	return err
}

func (d *demo) replay(ctx context.Context) (err error) {
	conf := d.config("checker")
	conf.Log = d.Log.Level(zerolog.ErrorLevel) // don't warn when the player leaves at the end
	n, err := ros.NewNode(ctx, conf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := d.subscribe(n); err != nil {
		return err
	}
	clock := msgs.MustType("rosgraph_msgs/Clock")
	if _, err := n.Subscribe(ros.SubscriberOptions{Topic: "/clock", Type: clock},
		func(ros.Received) { d.clocks++ }); err != nil {
		return err
	}
	d.step("replay", "%v with /clock; every frame is compared", d.Duration)
	defer d.progress("replay")()
	return play.Run(ctx, play.Options{
		Bags: []string{d.bag}, ROS: d.config("player"),
		Quiet: true, Log: d.Log.Level(zerolog.WarnLevel), // its lines would interrupt the progress bar
		// some seconds of small messages, because a busy machine delays the checker; images are bounded in bytes
		Queue:  5000,
		Replay: replay.Settings{ClockHz: 100, WaitForSubscribers: true},
	})
}

func (d *demo) progress(what string) (done func()) {
	if d.Progress == nil {
		return func() {}
	}
	report, hide := d.Progress(what)
	if report == nil { // there is no terminal
		return hide
	}
	start := time.Now()
	stop := work.Run(context.Background(), func(ctx context.Context) {
		work.Every(ctx, 100*time.Millisecond, func(now time.Time) {
			report(uint64(min(now.Sub(start), d.Duration).Milliseconds()), uint64(d.Duration.Milliseconds()))
		})
	})
	return func() { stop(); hide() }
}

// subscribe subscribes to every topic of the bag, and checks those with frames.
func (d *demo) subscribe(n *ros.Node) error {
	bag, err := rosbag.Open(d.bag, bagstore.OpenOptions{})
	if err != nil {
		return err
	}
	defer bag.Close()
	for _, c := range bag.Connections() {
		options := ros.SubscriberOptions{Topic: c.Topic, Type: msgs.Type{Name: c.Type, MD5: c.MD5}, NoDelay: true}
		receive := func(ros.Received) {}
		if t := rslayout.ParseTopic(c.Topic); t.IsFrame() {
			receive = func(r ros.Received) { d.ledger.replayed(t.Stream, r.Data, time.Now()) }
		}
		if _, err := n.Subscribe(options, receive); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) report() error {
	fmt.Fprintln(d.Out)
	w := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STREAM\tPROFILE\tGIVEN\tRECORDED\tREPLAYED\tLOST\tCHANGED\tWORST LATENESS")
	sound := true
	for _, list := range d.ledger.profiles {
		for _, p := range list {
			e := d.ledger.entry(p.Stream)
			recorded := d.summary.Row(p.Stream.String()).Messages
			lost := uint64(len(e.given)) - e.same
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.1f ms\n", p.Stream, shortProfile(p),
				len(e.given), recorded, e.received,
				lost, e.changed, float64(e.lateness().Microseconds())/1000)
			sound = sound && lost == 0 && e.changed == 0 && e.received == uint64(len(e.given)) && len(e.given) > 0
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "\nclock     %d messages\n", d.clocks)
	if !sound || d.clocks == 0 {
		return fmt.Errorf("%w: the replayed frames differ from the camera's", program.ErrIncomplete)
	}
	d.step("result", "nothing was lost or changed")
	if d.Output == "" {
		d.step("next", "rs-ros-node demo -o .             keeps the recording, demo.bag")
	} else {
		d.step("next", "rs-ros-node info %s\n          rs-ros-node view %[2]s", d.bag)
	}
	d.step("", "rs-ros-node view sim              shows the camera in the browser")
	d.step("", "rs-ros-node live --device sim     publishes it in the graph of a roscore; rs-ros-node master is one, too")
	return nil
}

// step prints what the demo does next, or has found.
func (d *demo) step(name, format string, args ...any) {
	fmt.Fprintf(d.Out, "%-10s"+format+"\n", append([]any{name}, args...)...)
}

func shortProfile(p camdriver.Profile) string {
	if p.Width == 0 {
		return fmt.Sprintf("%d Hz", p.FPS)
	}
	return fmt.Sprintf("%s %dx%d@%d", p.Format, p.Width, p.Height, p.FPS)
}
