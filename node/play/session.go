package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/msgs"
	"rsros/node/bridge"
	"rsros/node/control"
	"rsros/node/naming"
	"rsros/node/settings"
	"rsros/node/view"
	"rsros/program"
	"rsros/replay"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/tools/bagset"
	"rsros/viewer"
)

type session struct {
	Options
	closers []func() // called by close in reverse order

	bags      []*bagstore.Recording
	unstamped map[*bagstore.Connection]bagstore.Time // what their header stamps lack, see useStamps
	reads     context.CancelFunc                     // ends reading the bags
	damage    []string                               // found when the bags were opened
	node      *graph.Node
	mirror    *bridge.Mirror // in ROS 2; nil without
	source    replay.Source

	out    *output
	shown  *viewer.Output // copies everything from out to viewers
	remote *control.Remote
	player *replay.Player
	page   *viewer.Server // nil without viewers
}

// run returns what couldn't be published.
func (s *session) run(ctx context.Context) (problems []string, err error) {
	recording, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.node.UntilDone(ctx)
	s.closers = append(s.closers, cancel)
	s.source = replay.Bags(s.bags)
	if recording != nil {
		if s.source, err = s.wrapper(ctx, s.node.Node, recording); err != nil {
			return nil, err
		}
	}
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	if s.player.Empty() {
		s.Log.Warn().Msg("there are no messages to play on the chosen topics")
		return append(s.damage, s.player.Problems()...), nil
	}
	if err := s.serve(); err != nil {
		return nil, err
	}
	problems, err = s.play(ctx)
	return append(s.damage, problems...), err
}

// open opens the bags and joins the graph. It returns the recording to play as realsense2_camera's topics, if any.
func (s *session) open(ctx context.Context) (recording *rsbag.File, err error) {
	if len(s.Bags) == 0 {
		return nil, fmt.Errorf("%w: no bag was named", program.ErrUsage)
	}
	s.Log.Info().Strs("bags", s.Bags).Msg("opening")
	reading, end := context.WithCancel(ctx)
	s.closers, s.reads = append(s.closers, end), end
	// a .db3 file at an address
	fetching := program.ProgressLines("fetching", time.Now, func(line string) { s.Log.Info().Msg(line) })
	if s.bags, s.damage, err = bagset.Open(s.Bags,
		bagstore.OpenOptions{Context: reading, Progress: fetching}, s.Log); err != nil {
		return nil, err
	}
	if recording, err = s.recording(s.bags); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	if recording == nil {
		s.sdkNaming()
	}
	s.warnOfMisread()
	join := graph.JoinOptions{ROS: s.ROS, Master: s.Master, Name: "play", Unique: true, Log: s.Log}
	s.node, s.mirror, err = bridge.Join(ctx, s.Worlds, join, bridge.Options{QoS: s.QoS})
	return recording, err
}

// warnOfMisread warns of arguments that were meant as parameters.
func (s *session) warnOfMisread() {
	isTopic := func(name string) bool {
		return slices.ContainsFunc(s.bags, func(b *bagstore.Recording) bool {
			return slices.ContainsFunc(b.Connections(),
				func(c *bagstore.Connection) bool { return strings.Trim(c.Topic, "/") == strings.Trim(name, "/") })
		})
	}
	for _, text := range settings.Play.Misread(s.ROS.PrivateParams, s.ROS.Remaps, isTopic) {
		s.Log.Warn().Msg(text)
	}
}

// sdkNaming prepares playing the topics as recorded.
func (s *session) sdkNaming() {
	if !s.FileTime {
		s.useStamps()
	}
	if _, given := s.Given["naming"]; !given && len(s.bags) == 1 && rsbag.IsRecording(s.bags[0]) {
		s.Log.Info().Msg("the topics have the SDK's names; --naming wrapper plays those of realsense2_camera")
	}
}

// useStamps moves RealSense recordings to the time line of their stamps.
func (s *session) useStamps() {
	s.unstamped = make(map[*bagstore.Connection]bagstore.Time)
	for i, b := range s.bags {
		if line := rsbag.TimeLineOf(b); line.Offset > 0 {
			s.bags[i] = b.Shifted(line.Offset)
			for _, c := range line.Unstamped {
				s.unstamped[c] = line.Offset
			}
		}
	}
}

func (s *session) connect(ctx context.Context) (err error) {
	n := s.node.Node
	wrapper, isWrapper := s.source.(*naming.Source)
	if isWrapper {
		s.closers = append(s.closers, wrapper.Close)
	}
	if s.out, err = newOutput(ctx, n, &s.Options); err != nil {
		return err
	}
	s.out.mirror = s.mirror
	s.closers = append(s.closers, s.out.close)
	if isWrapper {
		s.out.wrapper, s.out.images = wrapper, wrapper.Images()
	}
	clock, err := replay.NewSystem()
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { _ = clock.Close() }) // a timer
	s.shown = viewer.NewOutput(s.out)
	s.player, err = replay.New(replay.Options{
		Source: s.source, Output: s.shown, Clock: clock, Log: n.Log(), OnStatus: s.report, Interrupt: s.reads,
		RateControl: s.RateControlTopic != "", StampShifts: s.unstamped, Settings: s.Replay,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	return nil
}

func (s *session) report(status replay.Status) {
	if s.remote == nil {
		return // serve publishes the first one
	}
	s.remote.Publish(status)
	s.page.PlaybackChanged()
}

// serve lets the graph, Foxglove and browsers follow and control the player.
func (s *session) serve() (err error) {
	n := s.node.Node
	if s.remote, err = control.Offer(n, s.player, n.Log()); err != nil {
		return err
	}
	s.remote.Details = s.out.details
	s.remote.Publish(s.player.Status())
	s.closers = append(s.closers, s.remote.Close)
	if err := control.OfferRosbag2(s.mirror, s.player); err != nil {
		return err
	}
	if err := listen(s.remote, s.player, &s.Options, n.Log()); err != nil {
		return err
	}
	attach := func(page *viewer.Server) { page.AttachPlayer(s.player, s.shown, s.title()) }
	page, l, err := view.Serve(s.node, view.Options{Access: s.HTTP, Playback: true, Attach: attach})
	if err != nil {
		return err
	}
	if s.page = page; page != nil {
		s.closers = append(s.closers, func() { _ = l.Close() }) // playback is over
	}
	return nil
}

// play plays and returns what couldn't be published or was lost.
func (s *session) play(ctx context.Context) (problems []string, err error) {
	first, last := s.player.Range()
	s.Log.Info().Str("from", replay.ReadableTime(first)).Str("to", replay.ReadableTime(last)).Msg("playing")
	stopKeys := startKeys(ctx, &s.Options, s.player)
	defer stopKeys()
	stopLine := startLine(&s.Options, s.player)
	err = s.player.Run(ctx)
	stopLine()
	s.page.Drain(ctx, flushPatience)
	s.out.leave(ctx)
	lost := s.out.logEnd(s.node.Log(), s.player.Status(), s.Bags, s.LossyOK)
	if ctx.Err() != nil && len(lost) == 0 {
		return nil, ctx.Err()
	}
	if ctx.Err() != nil {
		err = nil // losses before the interruption count
	}
	return slices.Concat(s.player.Problems(), s.out.problems, lost, bagset.Found(s.bags)), err
}

// close ends everything that run started. It returns the error of leaving the graph.
func (s *session) close() (err error) {
	for _, c := range slices.Backward(s.closers) {
		c()
	}
	s.mirror.Close()
	if s.node != nil {
		err = s.node.Close()
	}
	bagset.Close(s.bags)
	return err
}

// listen subscribes to the topics that control the player's time, if any.
func listen(remote *control.Remote, player *replay.Player, o *Options, log zerolog.Logger) error {
	if o.RateControlTopic != "" {
		control := rateControlTopic{player: player, log: log}
		if err := remote.Subscribe(o.RateControlTopic, "", control.received); err != nil {
			return err
		}
	}
	if !o.Replay.FollowClock {
		return nil
	}
	return remote.Subscribe("/clock", "rosgraph_msgs/Clock", func(r ros.Received) {
		var m msgs.Clock
		if msgs.Unmarshal(r.Data, &m) == nil {
			player.Submit(replay.FollowTime{Time: bagstore.Time(m.Clock)})
		}
	})
}

// rateControlTopic passes header stamps of any type to the player.
type rateControlTopic struct {
	player     *replay.Player
	log        zerolog.Logger
	spec       *msgs.Spec
	definition string
	warned     bool
}

func (t *rateControlTopic) received(r ros.Received) {
	if definition := r.Header["message_definition"]; t.spec == nil || definition != t.definition {
		spec, err := msgs.Parse(r.Header["type"], definition)
		if err != nil {
			t.warn(err)
			return
		}
		t.spec, t.definition = spec, definition
	}
	stamp, ok := t.spec.Stamp(r.Data)
	if !ok {
		t.warn(errors.New("its messages don't begin with a header"))
		return
	}
	t.player.Submit(replay.RateControlStamp{Stamp: bagstore.Time(stamp)})
}

func (t *rateControlTopic) warn(err error) {
	if !t.warned {
		t.log.Warn().Err(err).Msg("the rate control topic can't control the rate")
	}
	t.warned = true
}
