package main

import (
	"context"

	"github.com/spf13/cobra"

	"rsros/tools/export"
)

func newCatCommand(a *app) *cobra.Command {
	var o export.CatOptions
	cmd, f := newCommand("cat BAG…", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		o.Bags, o.Out, o.Log, o.Progress = args, a.out, a.logger(), a.fetching(args[0])
		return export.Cat(ctx, o)
	})
	o.Selection.Flags(f)
	f.Uint64VarP(&o.Count, "count", "n", 0, "stop after `N` messages")
	f.BoolVar(&o.JSON, "json", false, "print JSON lines")
	f.BoolVar(&o.Print.OmitArrays, "noarr", false, "leave out the content of arrays, like rostopic echo --noarr")
	f.BoolVar(&o.Print.OmitStrings, "nostr", false, "leave out strings, like rostopic echo --nostr")
	f.IntVar(&o.Print.MaxArray, "max-array", 0, "print at most `N` elements of an array")
	return cmd
}
