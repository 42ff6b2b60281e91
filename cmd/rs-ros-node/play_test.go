package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/node/play"
)

// TestPlayFlags parses command lines as users of rosbag play write them.
func TestPlayFlags(t *testing.T) {
	for line, check := range map[string]func(o play.Options) bool{
		"a.bag b.bag": func(o play.Options) bool {
			return slices.Equal(o.Bags, []string{"a.bag", "b.bag"}) && o.Queue == 100
		},
		"--topics /x /y --bags a.bag": func(o play.Options) bool { return slices.Equal(o.Replay.Filter.Topics, []string{"/x", "/y"}) },
		"a.bag --topics /x /y -l -k": func(o play.Options) bool {
			return len(o.Replay.Filter.Topics) == 2 && !o.Replay.Loop && o.Replay.KeepAlive // as rosbag play
		},
		"--topics=/x a.bag":               func(o play.Options) bool { return len(o.Bags) == 1 && len(o.Replay.Filter.Topics) == 1 },
		"a.bag --pause-topics /x --pause": func(o play.Options) bool { return len(o.Replay.PauseTopics) == 1 && o.Replay.Paused },
		"a.bag -s 1.5 -u2 -r 0.5 -d 0": func(o play.Options) bool {
			return offset(o.Replay.Start) == 1500*time.Millisecond && o.Replay.Duration == 2*time.Second && o.Replay.Rate == 0.5 && o.Replay.Delay == 0
		},
		"a.bag --start 1700000000 --end=2018-05-03T12:30:00Z": func(o play.Options) bool {
			return offset(o.Replay.Start) == 1_700_000_000*time.Second-dawn.Sub(0) && offset(o.Replay.End) == 1_525_350_600*time.Second-dawn.Sub(0)
		},
		"a.bag -e --topics /c{1,2},/y": func(o play.Options) bool {
			return len(o.Replay.Filter.Match) == 2 && o.Replay.Filter.Match[0].MatchString("/cc")
		},
		"a.bag --topics /x,/y --topics=/z": func(o play.Options) bool { return slices.Equal(o.Replay.Filter.Topics, []string{"/x", "/y", "/z"}) },
		"a.bag -e --topics /x.* /y -x /x1 -x /x2": func(o play.Options) bool {
			f := o.Replay.Filter
			return f.Topics == nil && len(f.Match) == 2 && f.Match[0].MatchString("/x3") && !f.Match[1].MatchString("/y3") && len(f.Exclude) == 2
		},
		"a.bag":                   func(o play.Options) bool { return o.Replay.Delay == 200*time.Millisecond && o.Replay.ClockHz == 0 },
		"a.bag --clock --hz 50":   func(o play.Options) bool { return o.Replay.ClockHz == 50 && o.Replay.ClockPerMessage },
		"a.bag --clock-topics /x": func(o play.Options) bool { return o.Replay.ClockHz == 100 && len(o.Replay.ClockTopics) == 1 },
		"a.bag --queue=-1 -s -3 -u 0": func(o play.Options) bool {
			return o.Queue == -1 && offset(o.Replay.Start) == -3*time.Second && o.Replay.Duration == 0
		},
		"a.bag --queue=0 -i":                func(o play.Options) bool { return o.Queue == -1 && o.Replay.Immediate },
		"a.bag --dur=3 --rate-control-t=/x": func(o play.Options) bool { return o.Replay.Duration == 3*time.Second && o.RateControlTopic == "/x" },
		"-p /again a.bag --skip-empty 2": func(o play.Options) bool {
			return o.Replay.Prefix == "/again" && o.Replay.SkipEmpty == 2*time.Second
		},
		"a.bag --skip-empty 0 --rate-control-max-delay 0": func(o play.Options) bool {
			return o.Replay.SkipEmpty == 0 && o.Replay.RateControlMaxDelay == 0
		},
		"a.bag --naming wrapper --align-depth --pointcloud --filters spatial,temporal --clip-distance 3 --camera eye": func(o play.Options) bool {
			return o.Wrapper.AlignDepth && o.Wrapper.PointCloud && len(o.Wrapper.Filters) == 2 && o.Wrapper.Clip == 3 && o.Wrapper.Camera == "eye"
		},
	} {
		o, help, err := parsePlay(line)
		if err != nil || help || !check(o) {
			t.Errorf("play %s: %+v, %v", line, o, err)
		}
	}
	if _, help, err := parsePlay("--help"); !help || err != nil {
		t.Errorf("help: %v, %v", help, err)
	}
}

// dawn is the first message of a bag.
const dawn = bagstore.Time(1_500_000_000_000_000_000)

// offset returns how long after dawn a moment is.
func offset(m bagstore.Moment) time.Duration {
	return m.In(func() (bagstore.Time, bool) { return dawn, true }).Sub(dawn)
}

func parsePlay(line string) (o play.Options, help bool, err error) {
	var p playArgs
	cmd := &cobra.Command{Use: "play", RunE: func(_ *cobra.Command, bags []string) error { return p.complete(bags) }}
	p.register(cmd)
	root := &cobra.Command{SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(cmd)
	cmd.SetHelpFunc(func(*cobra.Command, []string) { help = true })
	args, err := expandFlags(root, append([]string{"play"}, strings.Fields(line)...))
	if err == nil {
		root.SetArgs(args)
		err = root.Execute()
	}
	if err != nil {
		err = usageError{err}
	}
	return p.Options, help, err
}
