package main

import (
	"context"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/node/demo"
	"rsros/node/settings"
)

func newDemoCommand(a *app) *cobra.Command {
	o := demo.Options{}
	cmd, _ := newCommand("demo", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		o.Out, o.Log, o.Rosout = a.out, a.logger(), a.ros.Rosout
		o.Progress = func(what string) (bagstore.Progress, func()) { return a.progress(what, false) }
		return demo.Run(ctx, o)
	})
	jobFlags(cmd, settings.Demo, &o)
	return cmd
}
