package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"rsros/tools/rewrite"
)

func newMergeCommand(a *app) *cobra.Command {
	var o filterOptions
	cmd, f := newCommand("merge BAG… -o OUT", withOutput(cobra.MinimumNArgs(1)),
		func(ctx context.Context, args []string) error {
			if slices.ContainsFunc(args, func(in string) bool { return rewrite.SameFile(in, o.out) }) {
				return usage("the output is one of the inputs")
			}
			return a.copyBags(ctx, args, o)
		})
	o.flags(cmd)
	f.BoolVar(&o.join, "join", false,
		"the bags are parts of one recording: leave out latched messages that later parts repeat")
	return cmd
}
