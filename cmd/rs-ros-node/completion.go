package main

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/camdriver/d400"
	"rsros/tools/bagset"
)

// completionTime is how long a shell may wait for names. A damaged recording is scanned meanwhile.
const completionTime = 2 * time.Second

// completeNames has shells complete the names of devices, and of topics in the files that are on the command line.
func completeNames(root *cobra.Command) {
	type lister func(ctx context.Context, args []string) []string
	for flag, names := range map[string]lister{"device": devices, "topics": recordedTopics} {
		complete := func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
			defer cancel()
			return names(ctx, args), cobra.ShellCompDirectiveDefault // shells leave out what doesn't begin as typed
		}
		for _, cmd := range root.Commands() {
			_ = cmd.RegisterFlagCompletionFunc(flag, complete) // the error is that it has no such flag
		}
	}
}

func devices(ctx context.Context, _ []string) []string {
	names := []string{"sim", "usb"}
	found, err := d400.List(ctx)
	for _, d := range found {
		if err == nil && d.Serial != "" {
			names = append(names, "usb:"+d.Serial+"\t"+d.Name)
		}
	}
	return names
}

func recordedTopics(ctx context.Context, args []string) (topics []string) {
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return !isFile(arg) })
	bags, _, err := bagset.Open(args, bagstore.OpenOptions{Context: ctx}, zerolog.Nop())
	defer bagset.Close(bags)
	if err != nil {
		return nil
	}
	for _, b := range bags {
		for _, c := range b.Connections() {
			topics = append(topics, c.Topic)
		}
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}
