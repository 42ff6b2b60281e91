package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/camdriver/d400"
	"rsros/node/live"
	"rsros/ros"
	"rsros/ros/rosapi"
	"rsros/tools/bagset"
)

// Shells wait for names for this long. A damaged recording is scanned meanwhile.
const (
	completionTime = 2 * time.Second
	masterTime     = completionTime / 4 // to answer
)

// completeNames has shells complete the names of devices, the profiles of these, and topics: those of the graph, or of
// the files that are on the command line.
func (a *app) completeNames(root *cobra.Command) {
	type lister func(ctx context.Context, cmd *cobra.Command, args []string) []string
	complete := func(names lister) cobra.CompletionFunc {
		return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
			defer cancel()
			return names(ctx, cmd, args), cobra.ShellCompDirectiveDefault // shells leave out what doesn't begin as typed
		}
	}
	topics := func(ctx context.Context, cmd *cobra.Command, args []string) []string {
		if cmd.Name() == "record" || cmd.Name() == "live" {
			return a.publishedTopics(ctx)
		}
		return recordedTopics(ctx, args)
	}
	lists := map[string]lister{"device": devices, "topics": topics, "pause-topics": topics, "clock-topics": topics}
	for _, stream := range strings.Fields("depth color infra1 infra2 gyro accel") {
		lists[stream] = func(ctx context.Context, cmd *cobra.Command, args []string) []string {
			return profiles(ctx, cmd, args, stream)
		}
	}
	for _, cmd := range root.Commands() {
		for flag, names := range lists {
			_ = cmd.RegisterFlagCompletionFunc(flag, complete(names)) // the error is that it has no such flag
		}
		if cmd.Name() == "record" {
			cmd.ValidArgsFunction = complete(topics)
		}
	}
}

func devices(ctx context.Context, _ *cobra.Command, _ []string) []string {
	names := []string{"sim", "usb"}
	found, err := d400.List(ctx)
	for _, d := range found {
		if err == nil && d.Serial != "" {
			names = append(names, "usb:"+d.Serial+"\t"+d.Name)
		}
	}
	return names
}

// profiles returns the profiles of a stream of the device on the command line. A camera on USB isn't opened, because
// another program may use it: the profiles are those of the simulated D435i.
func profiles(ctx context.Context, cmd *cobra.Command, args []string, stream string) []string {
	device := "sim"
	if flag, ok := settingOf(cmd.Flags(), "--device"); ok {
		args = flag.values["device"]
	}
	if n := len(args); n > 0 && isFile(args[n-1]) {
		device = args[n-1]
	}
	dev, err := live.OpenSource(ctx, live.SourceOptions{Device: device, Paused: true, Log: zerolog.Nop()})
	if err != nil {
		return nil
	}
	defer dev.Close()
	return live.Offered(dev.Sensors(), stream)
}

// publishedTopics returns the topics of the graph, if its master answers fast.
func (a *app) publishedTopics(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, masterTime)
	defer cancel()
	state, err := rosapi.NewCaller("/rs_ros_node").SystemState(ctx, cmp.Or(a.ros.MasterURI, ros.DefaultMasterURI))
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(state[rosapi.Publisher]))
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
