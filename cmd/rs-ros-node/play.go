package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/node/naming"
	"rsros/node/play"
	"rsros/node/settings"
	"rsros/program/help"
	"rsros/program/work"
)

func newPlayCommand(a *app) *cobra.Command {
	var p playArgs
	cmd := &cobra.Command{
		Use:   "play BAG…",
		Short: "Play bags, like rosbag play, with control of position, rate and loop",
		Long: `play publishes the messages of bags with their recorded timing, or faster. Flags and
keys of rosbag play have the same meaning. Unindexed and torn bags are played as far as they
are intact. Topic names that ROS refuses are made legal. Recordings of ROS 2 (.db3 and
MCAP files, and their folders) are played as messages of ROS 1.

Keys: space pause, s step, f step a frame set, left and right 5 s, up and down
60 s, + - 1 rate, l loop, t pause topics, q quit.

Services: ~pause_playback and /pause_playback (std_srvs/SetBool), ~step,
~step_frame_set, ~stop (std_srvs/Trigger); rate, position, loop and paused by
dynamic_reconfigure. Topics: ~seek (std_msgs/Float64, seconds from the start),
~status (diagnostic_msgs/DiagnosticStatus).

--start and --end take a date such as "2018-05-03 12:30:00" or a number of
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
		RunE: func(cmd *cobra.Command, bags []string) error {
			if err := p.complete(bags); err != nil {
				return usageError{err}
			}
			p.ROS = a.ros
			p.Log = a.serveViewers(&p.HTTP)
			p.Keys, p.Out, p.Quiet = a.raw.in, a.raw.out, a.quiet
			return play.Run(cmd.Context(), p.Options)
		},
	}
	p.register(cmd)
	a.configFlags(cmd, "bags")
	help.First(cmd.Flags(), "rate", "start", "end", "duration", "loop", "clock", "topics", "exclude", "naming", "http")
	return cmd
}

// playArgs has the settings of play, including those that need conversion.
type playArgs struct {
	play.Options
	Clock   bool     `setting:"clock"`
	Hz      float64  `setting:"hz"`
	Future  bool     `setting:"try-future-version"`
	Regex   bool     `setting:"regex"`
	Exclude []string `setting:"exclude"`
	Limits  []string `setting:"limit"`
}

func (p *playArgs) register(cmd *cobra.Command) {
	p.Given = jobFlags(cmd, settings.Play, p)
}

// complete sets the options that depend on several flags.
func (p *playArgs) complete(bags []string) (err error) {
	p.Bags = append(p.Bags, bags...)
	if len(p.Bags) == 0 {
		return errors.New("no recording was named: rs-ros-node play walk.bag; after --topics and other lists, --bags walk.bag")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Given)) {
		if settings.Wrapper(name) && p.Naming != naming.Wrapper {
			return fmt.Errorf("--%s needs --naming wrapper", name)
		}
	}
	r := &p.Replay
	r.Loop = r.Loop && !r.KeepAlive // rosbag play stays after the first round, too
	if p.Clock || len(r.ClockTopics) > 0 {
		r.ClockHz = p.Hz
	}
	if p.Regex {
		if r.Filter.Match, err = bagstore.ParsePatterns(r.Filter.Topics); err != nil {
			return err
		}
		r.Filter.Topics = nil
	}
	if r.Filter.Exclude, err = bagstore.ParsePatterns(p.Exclude); err != nil {
		return err
	}
	r.Filter.Limits, err = work.ParseLimits(p.Limits)
	return err
}
