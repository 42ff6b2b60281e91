package main

import (
	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/node/demo"
	"rsros/node/settings"
)

func newDemoCommand(a *app) *cobra.Command {
	o := demo.Options{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Record, replay and compare a simulated camera, with nothing but this program",
		Long: `demo starts a master on a free port, publishes a simulated D435i under both
namings, records it into a RealSense bag, and plays the bag back with /clock. It
compares every frame that a subscriber to the replay receives with the frame that
the camera produced, and prints a table. The exit code is 3 if anything was lost or
changed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out, o.Log, o.Rosout = a.out, a.logger(), a.ros.Rosout
			o.Progress = func(what string) (bagstore.Progress, func()) { return a.progress(what, false) }
			return demo.Run(cmd.Context(), o)
		},
	}
	jobFlags(cmd, settings.Demo, &o)
	return cmd
}
