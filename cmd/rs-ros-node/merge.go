package main

import (
	"errors"

	"github.com/spf13/cobra"

	"rsros/node/settings"
	"rsros/program/help"
	"rsros/tools/rewrite"
)

func newMergeCommand(a *app) *cobra.Command {
	var o filterOptions
	cmd := &cobra.Command{
		Use:  "merge BAG… -o OUT",
		Args: withOutput(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, in := range args {
				if rewrite.SameFile(in, o.out) {
					return usageError{errors.New("the output is one of the inputs")}
				}
			}
			return a.copyBags(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	outputFlag(f, &o.out, "`FILE` to write: a bag, or .mcap or .db3 by its extension")
	f.BoolVar(&o.join, "join", false,
		"the bags are parts of one recording: leave out latched messages that later parts repeat")
	o.selection.Flags(f)
	overwriteFlag(f, &o.bag.Overwrite, "replace OUT if it exists")
	settingFlags(cmd, settings.Copy, &o.bag)
	help.First(f, "output", "topics", "exclude", "start", "end", "overwrite")
	return cmd
}
