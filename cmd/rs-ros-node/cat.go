package main

import (
	"github.com/spf13/cobra"

	"rsros/tools/export"
)

func newCatCommand(a *app) *cobra.Command {
	var o export.CatOptions
	cmd := &cobra.Command{
		Use:  "cat BAG…",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Bags, o.Out, o.Log, o.Progress = args, a.out, a.logger(), a.fetching(args[0])
			return export.Cat(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	o.Selection.Flags(f)
	f.Uint64VarP(&o.Count, "count", "n", 0, "stop after `N` messages")
	f.BoolVar(&o.JSON, "json", false, "print JSON lines")
	f.BoolVar(&o.Print.OmitArrays, "noarr", false, "leave out the content of arrays, like rostopic echo --noarr")
	f.BoolVar(&o.Print.OmitStrings, "nostr", false, "leave out strings, like rostopic echo --nostr")
	f.IntVar(&o.Print.MaxArray, "max-array", 0, "print at most `N` elements of an array")
	return cmd
}
