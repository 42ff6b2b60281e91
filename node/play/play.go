package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/tools/bagset"
	"rsros/node/control"
	"rsros/node/foxglove"
	"rsros/node/foxglove/nodegraph"
	"rsros/node/graph"
	"rsros/node/naming"
	"rsros/node/replay"
	"rsros/node/ros"
	"rsros/node/view"
	"rsros/node/viewers"
	"rsros/program"
)

// Options are the settings of a replay. The zero value of a field is the
// default.
type Options struct {
	ROS    graph.Config // name, remaps and environment; the default name is play_ and a unique end, as rosbag's
	Master graph.Mode   // default ros
	Bags   []string

	Replay replay.Settings // what is played, and how

	Queue            int    // messages that may wait for one subscriber; 0 means 100, negative no bound
	RateControlTopic string // playback waits while the header stamps of this topic lag
	LossyOK          bool   // messages that slow subscribers lose don't make the replay incomplete

	Naming  naming.Choice // default sdk: as recorded; wrapper plays one RealSense bag as realsense2_camera's topics
	Wrapper naming.WrapperOptions

	Foxglove foxglove.Access // where Foxglove's clients connect; the zero value is nowhere
	HTTP     viewers.Access  // where the viewer's page is; the zero value is nowhere

	Keys  *os.File  // where keys are read from; nil for none
	Out   io.Writer // for the state line; nil for none
	Quiet bool      // no state line

	Log zerolog.Logger
}

// Run plays bags into the graph until their end, Stop, or the end of ctx.
//
// The error is bagstore's if a bag can't be opened. Otherwise it wraps
// program.ErrUsage, program.ErrNoMaster, or program.ErrIncomplete if something that
// was asked for couldn't be published or slow subscribers lost messages.
func Run(ctx context.Context, o Options) error {
	if len(o.Bags) == 0 {
		return fmt.Errorf("%w: no bag was named", program.ErrUsage)
	}
	o.Log.Info().Strs("bags", o.Bags).Msg("opening")
	bags, damage, err := bagset.Open(o.Bags, bagstore.OpenOptions{}, o.Log)
	defer bagset.Close(bags)
	if err != nil {
		return err
	}
	recording, err := o.recording(bags)
	if err != nil {
		return err
	}
	if err := o.complete(); err != nil {
		return fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	n, err := graph.Join(ctx, graph.JoinOptions{ROS: o.ROS, Master: o.Master, Name: "play", Unique: true, Log: o.Log})
	if err != nil {
		return err
	}
	source := replay.Bags(bags)
	if recording != nil {
		wrapper, err := o.wrapper(ctx, n.Node, recording)
		if err != nil {
			return errors.Join(err, n.Close())
		}
		source = wrapper
	}
	problems, err := playInto(ctx, n, source, o)
	if err := errors.Join(err, n.Close()); err != nil {
		return err
	}
	if all := append(damage, problems...); len(all) > 0 {
		return fmt.Errorf("%w: %s", program.ErrIncomplete, strings.Join(all, "; "))
	}
	return nil
}

// recording returns what is played as realsense2_camera would have published it; nil
// if the bags' own messages are played.
func (o *Options) recording(bags []*bagstore.Bag) (*rsbag.File, error) {
	switch {
	case o.Naming == naming.Both:
		return nil, fmt.Errorf("%w: a bag is played under one naming, sdk or wrapper; live --device %s has both", program.ErrUsage, o.Bags[0])
	case o.Naming != naming.Wrapper:
		return nil, nil
	case len(bags) != 1:
		return nil, fmt.Errorf("%w: --naming wrapper plays one RealSense bag, not %d", program.ErrUsage, len(bags))
	}
	return rsbag.OpenDeviceBag(bags[0])
}

// wrapper makes the source of realsense2_camera's topics. Private parameters
// complete the options.
func (o *Options) wrapper(ctx context.Context, n *ros.Node, recording *rsbag.File) (*naming.Source, error) {
	values, err := graph.PrivateParams(ctx, n)
	if err != nil {
		return nil, err
	}
	p := graph.NewParamReader(values)
	o.Wrapper.Camera = cmp.Or(o.Wrapper.Camera, p.Text("camera"), "camera")
	if err := errors.Join(o.Wrapper.Fill(p), p.Err()); err != nil {
		return nil, err
	}
	source, err := naming.OpenSource(recording, o.Wrapper, time.Now(), n.Log())
	if err != nil {
		return nil, err
	}
	log := n.Log()
	for _, text := range source.Problems() {
		log.Warn().Msg(text)
	}
	if err := source.Offer(n, o.Replay.Prefix); err != nil {
		source.Close()
		return nil, err
	}
	return source, nil
}

const (
	defaultQueue = 100 // as rosbag play
	// immediateBytes bounds a subscriber's queue if the player waits for room in it
	// anyway. It is enough to keep a socket busy.
	immediateBytes = 8 << 20
)

// complete fills in defaults and refuses settings that contradict each other.
func (o *Options) complete() error {
	o.Queue = cmp.Or(o.Queue, defaultQueue)
	r := &o.Replay
	if err := r.Check(); err != nil {
		return err
	}
	if r.FollowClock && r.ClockHz > 0 {
		return errors.New("a clock can be followed or published, not both")
	}
	if r.Restamp && r.ClockHz > 0 {
		return errors.New("stamps are moved to now, but /clock would give the bag's time: restamp or publish a clock, not both")
	}
	return nil
}

// playInto plays in a running node and returns what couldn't be published.
func playInto(ctx context.Context, joined *graph.Node, source replay.Source, o Options) ([]string, error) {
	n := joined.Node
	ctx, cancel := graph.UntilKilled(ctx, n)
	defer cancel()
	out, err := newOutput(n, &o)
	if err != nil {
		return nil, err
	}
	defer out.close()
	if wrapper, ok := source.(*naming.Source); ok {
		defer wrapper.Close()
		out.wrapper, out.images = wrapper, wrapper.Images()
	}
	status, err := control.NewStatus(n)
	if err != nil {
		return nil, err
	}
	status.Details = out.details
	clock, err := replay.NewSystem()
	if err != nil {
		return nil, err
	}
	defer clock.Close() //nolint:errcheck // a timer
	viewed := new(nodegraph.Playback)
	report := func(s replay.Status) { status.Publish(s); viewed.Report(s) }
	shown := view.NewOutput(out)
	player, err := replay.New(replay.Options{
		Source: source, Output: shown, Clock: clock, Log: n.Log(), OnStatus: report,
		RateControl: o.RateControlTopic != "", Settings: o.Replay,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	if player.Empty() {
		o.Log.Warn().Msg("there are no messages to play on the chosen topics")
		return player.Problems(), nil
	}
	first, last := player.Range()
	o.Log.Info().Str("from", replay.ReadableTime(first)).Str("to", replay.ReadableTime(last)).Msg("playing")
	remote, err := control.Offer(n, commanded{player}, n.Log())
	if err != nil {
		return nil, err
	}
	defer remote.Close()
	if err := listen(remote, player, &o, n.Log()); err != nil {
		return nil, err
	}
	status.Changed = remote.Changed
	viewed.Control(player)
	clients, err := nodegraph.Serve(joined, o.Foxglove, viewed, o.Log)
	if err != nil {
		return nil, err
	}
	defer clients.Close()
	page, err := viewers.Serve(joined, viewers.Options{Access: o.HTTP, Playback: viewed, Log: o.Log})
	if err != nil {
		return nil, err
	}
	if page != nil {
		defer page.Close() //nolint:errcheck // playback is over
		page.Page.AttachPlayer(player, shown, o.title())
	}
	stopKeys := startKeys(ctx, &o, player)
	defer stopKeys()
	line := startLine(&o, player)
	err = player.Run(ctx)
	line.stop()
	clients.Drain(ctx, flushPatience)
	out.leave(ctx)
	lost := out.sayEnd(n.Log(), player.Status(), o.LossyOK)
	if ctx.Err() != nil && len(lost) == 0 {
		return nil, ctx.Err()
	}
	problems := append(player.Problems(), out.problems...)
	if ctx.Err() != nil {
		err = nil // losses before the interruption count
	}
	return append(problems, lost...), err
}

// title is what viewers read above the page.
func (o *Options) title() string {
	title := filepath.Base(o.Bags[0])
	if n := len(o.Bags) - 1; n > 0 {
		title += fmt.Sprintf(" and %d more", n)
	}
	return title
}

// lossText is the message about what slow subscribers lost.
func lossText(dropped uint64, list []loss) string {
	const most = 10 // in one line
	text := "slow subscribers lost " + countOf(dropped, "message")
	var each []string
	for _, l := range list[:min(len(list), most)] {
		each = append(each, l.String())
	}
	if len(list) > most {
		each = append(each, fmt.Sprintf("and %d more", len(list)-most))
	}
	if len(each) == 0 {
		return text
	}
	return text + ": " + strings.Join(each, ", ")
}

// sayEnd logs what was played, and returns what was lost, unless that is fine.
func (o *output) sayEnd(log zerolog.Logger, s replay.Status, lossyOK bool) (lost []string) {
	dropped, losses, skips := o.dropped(), o.losses(), o.skips()
	e := log.Info().Uint64("messages", s.Messages).Uint64("bytes", s.Bytes).Dur("worst lateness (ms)", s.WorstLate.Round(time.Microsecond))
	if dropped > 0 {
		e = e.Uint64("dropped by slow subscribers", dropped)
		lost = append(lost, lossText(dropped, losses))
	}
	e.Msg("played")
	for _, l := range losses {
		log.Warn().Str("topic", l.topic).Str("subscriber", l.subscriber).Uint64("lost", l.messages).Msg("a slow subscriber lost messages")
	}
	for _, text := range skips {
		log.Warn().Msg("the computer is too slow: " + text)
	}
	if lossyOK {
		return nil
	}
	return append(lost, skips...)
}
