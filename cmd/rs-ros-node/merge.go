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
		Use:   "merge BAG… -o OUT",
		Short: "Combine recordings into one, in time order",
		Long: `merge copies the messages of several recordings into one, sorted by time. OUT's
extension says the format, as in filter. Messages of equal time keep the order in
which the bags are named. The flags that select messages are those of filter. The
compression is that of the first bag unless a flag changes it.

With --join, the bags are parts of one recording, such as those of a black box or
of a split with --repeat-latched: a publisher's first latched message in a later part
is left out if it only repeats the one before it.

Exit codes: 0 done, 3 a bag is torn and its intact part was copied, 1 not done,
without output.`,
		Example: `  rs-ros-node merge walk_000.bag walk_001.bag -o walk.bag
  rs-ros-node merge robot.bag camera.bag -o both.bag --lz4 -x /rosout
  rs-ros-node merge robot_2026-03-01-12-00-10_*.bag -o incident.bag --join`,
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
	f.BoolVar(&o.join, "join", false, "the bags are parts of one recording: leave out latched messages that later parts repeat")
	o.selection.Flags(f)
	overwriteFlag(f, &o.bag.Overwrite, "replace OUT if it exists")
	settingFlags(cmd, settings.Output, &o.bag)
	help.First(f, "output", "topics", "exclude", "start", "end", "overwrite")
	return cmd
}
