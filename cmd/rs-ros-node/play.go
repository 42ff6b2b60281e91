package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"rsros/bagstore/moment"
	"rsros/node/graph"
	"rsros/node/naming"
	"rsros/node/play"
	"rsros/node/replay"
)

func newPlayCommand(a *app) *cobra.Command {
	var o play.Options
	f := playFlags{options: &o, hz: 100}
	cmd := &cobra.Command{
		Use:   "play BAG…",
		Short: "Play bags, like rosbag play, with control of position, rate and loop",
		Long: `play publishes what bags hold, at the time it was recorded or faster. Flags and
keys of rosbag play mean the same. Unindexed and torn bags are played as far as
they are whole. Topic names that ROS refuses are made legal. Recordings of ROS 2 (.db3
and MCAP files, and their folders) are played as messages of ROS 1.

Keys: space pause, s step, f step a frame set, left and right 5 s, up and down
60 s, + - 1 rate, l loop, t pause topics, q quit.

Services: ~pause_playback and /pause_playback (std_srvs/SetBool), ~step,
~step_frame_set, ~stop (std_srvs/Trigger); rate, position, loop and paused by
dynamic_reconfigure. Topics: ~seek (std_msgs/Float64, seconds from the start),
~status (diagnostic_msgs/DiagnosticStatus).

--start-at and --until take a date such as "2018-05-03 12:30:00" or a number of
seconds: since 1970, or since the first message if the number is smaller than that
message's time.

Exit codes: 0 everything was published, 1 a bag can't be read, 3 something is
damaged, a topic that was asked for is missing, slow subscribers lost messages,
or not everything could be computed in time.`,
		Example: `  rs-ros-node play walk.bag --clock
  rs-ros-node play walk.bag -s 10 -u 5 -r 0.5 --loop
  rs-ros-node play --topics /tf /camera/depth/image_raw --bags walk.bag
  rs-ros-node play walk.bag --restamp --loop --loop-monotonic
  rs-ros-node play realsense.bag --naming wrapper --align-depth --pointcloud`,
		Args:               cobra.ArbitraryArgs,
		DisableFlagParsing: true, // see expandLists
		RunE: func(cmd *cobra.Command, args []string) error {
			if help, err := f.parse(cmd, args); help || err != nil {
				return err
			}
			o.ROS = a.ros
			o.Log, o.HTTP.Lines = a.viewedLogger()
			o.Keys, o.Out = a.raw.in, a.raw.out
			return play.Run(cmd.Context(), o)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

// playFlags are the flags whose values need more than storing.
type playFlags struct {
	options *play.Options
	clock   bool
	hz      float64
	queue   int
	bags    []string

	match, exclude, limits []string
}

func (p *playFlags) register(f *pflag.FlagSet) {
	o, r := p.options, &p.options.Replay
	f.StringVarP(&r.Prefix, "prefix", "p", "", "put this before every topic name")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "show no state line")
	f.BoolVarP(&r.Immediate, "immediate", "i", false, "play without waiting, as fast as subscribers read")
	f.BoolVar(&r.Paused, "pause", false, "start paused")
	f.IntVar(&p.queue, "queue", 100, "messages that may wait for a subscriber; 0 or less for no bound")
	f.BoolVar(&p.clock, "clock", false, "publish /clock")
	f.Float64Var(&p.hz, "hz", p.hz, "rate of /clock")
	f.BoolVar(&r.ClockPerMessage, "clock-per-message", true, "also publish /clock before each message")
	f.StringArrayVar(&r.ClockTopics, "clock-topics", nil, "publish /clock before messages of these topics only")
	f.BoolVar(&r.FollowClock, "follow-clock", false, "follow the /clock of another program")
	secondsVar(f, &r.Delay, "delay", "d", 200*time.Millisecond, "wait this many seconds after advertising, for subscribers to connect")
	f.Float64VarP(&r.Rate, "rate", "r", 1, "speed")
	f.VarP(secondsFlag{d: &r.Start, signed: true}, "start", "s", "start this many seconds into the bags")
	f.Var(parsed(&r.StartAt, moment.Parse), "start-at", "start at this time")
	secondsVar(f, &r.Duration, "duration", "u", 0, "play this many seconds of bag time; 0 for all")
	f.Var(parsed(&r.Until, moment.Parse), "until", "play up to this time")
	secondsVar(f, &r.SkipEmpty, "skip-empty", "", 0, "skip gaps that are longer than this many seconds; 0 for none")
	f.BoolVarP(&r.Loop, "loop", "l", false, "start again at the end")
	f.Var(parsed(&r.LoopRange, replay.ParseRange), "loop-range", "loop over FROM:TO, seconds from the start")
	f.BoolVar(&r.LoopMonotonic, "loop-monotonic", false, "let time continue in each round instead of jumping back")
	f.BoolVarP(&r.KeepAlive, "keep-alive", "k", false, "stay after the end, with latched topics and the clock; with --loop, after the first round")
	f.Bool("try-future-version", false, "accepted as rosbag play does; all known versions are read")
	f.StringArrayVar(&r.Filter.Topics, "topics", nil, "topics to play")
	f.StringArrayVar(&p.match, "regex", nil, "play topics whose whole name matches")
	f.StringArrayVarP(&p.exclude, "exclude", "x", nil, "leave out topics whose whole name matches")
	f.StringArrayVar(&r.Filter.Types, "types", nil, "play messages of these types")
	f.StringArrayVar(&r.Filter.ExcludeTypes, "exclude-types", nil, "leave out messages of these types")
	f.StringArrayVar(&p.limits, "limit", nil, "play a topic at no more than this rate: TOPIC=HZ in bag time")
	f.StringArrayVar(&r.PauseTopics, "pause-topics", nil, "pause before each message of these topics")
	f.StringArrayVar(&p.bags, "bags", nil, "bags to play")
	f.BoolVar(&r.WaitForSubscribers, "wait-for-subscribers", false, "wait until every topic has a subscriber")
	f.BoolVar(&o.LossyOK, "lossy-ok", false, "exit with 0 even if slow subscribers lost messages or not everything could be computed in time")
	f.StringVar(&o.RateControlTopic, "rate-control-topic", "", "wait while the header stamps of this topic lag")
	secondsVar(f, &r.RateControlMaxDelay, "rate-control-max-delay", "", time.Second, "how far they may lag")
	f.BoolVar(&r.Restamp, "restamp", false, "move header stamps to now, so that no /clock is needed")
	f.Var(choice(&o.Naming, naming.Parse), "naming", "sdk: topics as recorded; wrapper: a RealSense bag as realsense2_camera's (default sdk)")
	namingFlags(f, &o.Wrapper)
	foxgloveFlags(f, &o.Foxglove)
	httpFlags(f, &o.HTTP)
	f.Var(choice(&o.Master, graph.ParseMode), "master", "ros, embedded or auto (default ros)")
}

// listFlags take several values in a row, as rosbag's do.
var listFlags = []string{"--topics", "--pause-topics", "--clock-topics", "--types", "--exclude-types", "--regex", "--exclude"}

// parse reads the command line; help says that it was asked for and shown.
func (p *playFlags) parse(cmd *cobra.Command, args []string) (help bool, err error) {
	cmd.DisableFlagParsing = false
	args, err = expandLists(cmd.Flags(), args)
	if err != nil {
		return false, usageError{err}
	}
	if err := cmd.ParseFlags(args); err != nil {
		return false, usageError{err}
	}
	if asked, _ := cmd.Flags().GetBool("help"); asked {
		return true, cmd.Help()
	}
	o := p.options
	o.Bags = append(p.bags, cmd.Flags().Args()...)
	if len(o.Bags) == 0 {
		return false, usageError{fmt.Errorf("no bag was named; after --topics and the like, name them with --bags")}
	}
	if o.Replay.Rate == 0 && cmd.Flags().Changed("rate") {
		return false, usageError{fmt.Errorf("--rate must be above 0")}
	}
	if r := &o.Replay; cmd.Flags().Changed("rate-control-max-delay") {
		r.RateControlMaxDelay = max(r.RateControlMaxDelay, 1) // 0 means the default there
	}
	if o.Replay.KeepAlive {
		o.Replay.Loop = false // rosbag play stays after the first round, too
	}
	if o.Queue = p.queue; o.Queue <= 0 {
		o.Queue = -1
	}
	if !(p.hz > 0) {
		return false, usageError{fmt.Errorf("a clock rate of %v Hz", p.hz)}
	}
	if p.clock || len(o.Replay.ClockTopics) > 0 {
		o.Replay.ClockHz = p.hz
	}
	if err := errors.Join(p.filter(), p.checkNaming(cmd.Flags())); err != nil {
		return false, usageError{err}
	}
	return false, nil
}

// namingFlags say what --naming wrapper publishes.
func namingFlags(f *pflag.FlagSet, o *naming.WrapperOptions) {
	f.StringVar(&o.Camera, "camera", "", "prefix of the wrapper naming's topics and frames (default camera)")
	wrapperFlags(f, o)
}

// checkNaming refuses flags of the wrapper naming without it.
func (p *playFlags) checkNaming(given *pflag.FlagSet) (err error) {
	var own pflag.FlagSet
	namingFlags(&own, new(naming.WrapperOptions))
	own.VisitAll(func(f *pflag.Flag) {
		if err == nil && given.Changed(f.Name) && p.options.Naming != naming.Wrapper {
			err = fmt.Errorf("--%s needs --naming wrapper", f.Name)
		}
	})
	return err
}

// filter compiles what topics are chosen and limited by.
func (p *playFlags) filter() (err error) {
	f := &p.options.Replay.Filter
	if f.Match, err = replay.CompileFull(p.match); err != nil {
		return err
	}
	if f.Exclude, err = replay.CompileFull(p.exclude); err != nil {
		return err
	}
	f.Limits, err = replay.ParseLimits(p.limits)
	return err
}

// expandLists rewrites "--topics /a /b" to "--topics=/a --topics=/b", which
// pflag can't read itself, and completes shortened names of flags, which rosbag
// play accepts.
func expandLists(f *pflag.FlagSet, args []string) ([]string, error) {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...), nil
		}
		if strings.HasPrefix(arg, "--") {
			var err error
			if arg, err = completeFlag(f, arg); err != nil {
				return nil, err
			}
		}
		if !slices.Contains(listFlags, arg) {
			out = append(out, arg)
			continue
		}
		first := i + 1
		for ; i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"); i++ {
			out = append(out, arg+"="+args[i+1])
		}
		if first > i {
			return nil, fmt.Errorf("%s needs a value", arg)
		}
	}
	return out, nil
}

// completeFlag turns "--dur=5" into "--duration=5" where only one flag begins so.
func completeFlag(f *pflag.FlagSet, arg string) (string, error) {
	name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	if f.Lookup(name) != nil {
		return arg, nil
	}
	var found []string
	f.VisitAll(func(flag *pflag.Flag) {
		if strings.HasPrefix(flag.Name, name) {
			found = append(found, flag.Name)
		}
	})
	switch {
	case len(found) > 1:
		return "", fmt.Errorf("--%s may mean --%s", name, strings.Join(found, ", --"))
	case len(found) == 0:
		return arg, nil // pflag says what is wrong, or it belongs to all commands
	case hasValue:
		return "--" + found[0] + "=" + value, nil
	}
	return "--" + found[0], nil
}

// secondsFlag is a duration in seconds, as ROS tools take it.
type secondsFlag struct {
	d      *time.Duration
	signed bool // it may be negative
}

func secondsVar(f *pflag.FlagSet, d *time.Duration, name, short string, value time.Duration, usage string) {
	*d = value
	f.VarP(secondsFlag{d: d}, name, short, usage)
}

func (s secondsFlag) String() string {
	if s.d == nil {
		return ""
	}
	return strconv.FormatFloat(s.d.Seconds(), 'g', -1, 64)
}

func (s secondsFlag) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > -1e9 && v < 1e9) {
		return fmt.Errorf("%q is not a number of seconds", text)
	}
	if v < 0 && !s.signed {
		return fmt.Errorf("%q is negative", text)
	}
	*s.d = time.Duration(math.Round(v * 1e9))
	return nil
}

func (s secondsFlag) Type() string { return "seconds" }
