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
		Use:  "demo",
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
