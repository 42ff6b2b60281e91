package main

import (
	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/node/demo"
)

func newDemoCommand(a *app) *cobra.Command {
	o := demo.Options{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on a machine that has nothing but this program",
		Long: `demo starts a master on a free port, publishes a simulated D435i under both
namings, records it into a RealSense bag, plays the bag back with /clock and
compares every frame that a subscriber of the replay receives with what the
camera gave. It ends with a table, and with exit code 3 if anything was lost or
changed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out, o.Log, o.Rosout = a.out, a.logger(), a.ros.Rosout
			o.Progress = func(what string) (bagstore.Progress, func()) { return a.progress(what, false) }
			return demo.Run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", "", "folder for the bag (default a temporary one)")
	f.Var((*rosDuration)(&o.Duration), "duration", "length of the recording: seconds, or with s, m or h (default 5s)")
	f.BoolVar(&o.Keep, "keep", false, "leave the bag in place")
	streamFlags(f, &o.Streams)
	return cmd
}
