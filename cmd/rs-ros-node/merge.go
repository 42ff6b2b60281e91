package main

import (
	"errors"

	"github.com/spf13/cobra"

	"rsros/node/settings"
	"rsros/tools/rewrite"
)

func newMergeCommand(a *app) *cobra.Command {
	var o filterOptions
	var output string
	cmd := &cobra.Command{
		Use:   "merge -o OUT BAG…",
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
		Example: `  rs-ros-node merge -o walk.bag walk_000.bag walk_001.bag
  rs-ros-node merge -o both.bag robot.bag camera.bag --lz4 -x /rosout
  rs-ros-node merge --join -o incident.bag robot_2026-03-01-12-00-10_*.bag`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usageError{errors.New("--output is missing")}
			}
			for _, in := range args {
				if rewrite.SameFile(in, output) {
					return usageError{errors.New("the output is one of the inputs")}
				}
			}
			return a.copyBags(cmd.Context(), args, output, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "`FILE` to write")
	f.BoolVar(&o.join, "join", false, "the bags are parts of one recording: leave out latched messages that later parts repeat")
	o.selection.Flags(f)
	overwriteFlag(f, &o.force, "replace OUT if it exists")
	a.quietFlag(f)
	settingFlags(cmd, settings.Output, &o.bag)
	return cmd
}
