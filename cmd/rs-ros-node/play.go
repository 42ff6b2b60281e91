package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/node/naming"
	"rsros/node/play"
	"rsros/node/replay"
	"rsros/node/settings"
)

func newPlayCommand(a *app) *cobra.Command {
	var p playArgs
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
			if help, err := p.parse(cmd, args); help || err != nil {
				return err
			}
			o := &p.options
			o.ROS = a.ros
			o.Log, o.HTTP.Lines = a.viewedLogger()
			o.Keys, o.Out = a.raw.in, a.raw.out
			return play.Run(cmd.Context(), *o)
		},
	}
	p.register(cmd)
	return cmd
}

// playArgs are the settings of play; some need more than storing.
type playArgs struct {
	options play.Options

	clock, future          bool
	hz                     float64
	match, exclude, limits []string
}

func (p *playArgs) fields() settings.Fields {
	return settings.Fields{
		"clock": &p.clock, "hz": &p.hz, "try-future-version": &p.future,
		"regex": &p.match, "exclude": &p.exclude, "limit": &p.limits,
	}
}

func (p *playArgs) register(cmd *cobra.Command) {
	o := &p.options
	o.Given = settingFlags(cmd, settings.Play, p.fields(), o, foxgloveSettings(&o.Foxglove), pageSettings(&o.HTTP))
}

// parse reads the command line; help says that it was asked for and shown.
func (p *playArgs) parse(cmd *cobra.Command, args []string) (help bool, err error) {
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
	o := &p.options
	o.Bags = append(o.Bags, cmd.Flags().Args()...)
	if len(o.Bags) == 0 {
		return false, usageError{fmt.Errorf("no bag was named; after --topics and the like, name them with --bags")}
	}
	settings.Play.Complete(o.Given, p.fields(), &o.Replay, settings.Fields{"queue": &o.Queue})
	o.Replay.RateControlMaxDelay = max(o.Replay.RateControlMaxDelay, 1) // 0 means the default there
	if o.Replay.KeepAlive {
		o.Replay.Loop = false // rosbag play stays after the first round, too
	}
	if o.Queue <= 0 {
		o.Queue = -1
	}
	if p.clock || len(o.Replay.ClockTopics) > 0 {
		o.Replay.ClockHz = p.hz
	}
	if err := errors.Join(p.filter(), p.checkNaming()); err != nil {
		return false, usageError{err}
	}
	return false, nil
}

// checkNaming refuses flags of the wrapper naming without it.
func (p *playArgs) checkNaming() error {
	for _, name := range slices.Sorted(maps.Keys(p.options.Given)) {
		if settings.Wrapper(name) && p.options.Naming != naming.Wrapper {
			return fmt.Errorf("--%s needs --naming wrapper", name)
		}
	}
	return nil
}

// filter compiles what topics are chosen and limited by.
func (p *playArgs) filter() (err error) {
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
		if list := settings.Play.Find(strings.TrimPrefix(arg, "--")); list == nil || !list.Row || !strings.HasPrefix(arg, "--") {
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
