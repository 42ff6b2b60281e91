package main

import (
	"context"
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
	cmd, f := newCommand("play BAG…", nil, func(ctx context.Context, bags []string) error {
		if err := p.complete(bags); err != nil {
			return usageError{err}
		}
		p.ROS = a.ros
		p.Log = a.serveViewers(&p.HTTP)
		p.Keys, p.Out, p.Quiet = a.raw.in, a.raw.out, a.quiet
		return play.Run(ctx, p.Options)
	})
	p.register(cmd)
	a.configFlags(cmd, "bags")
	help.First(f, "rate", "start", "end", "duration", "loop", "clock", "topics", "exclude", "naming", "http")
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
