package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rsros/node/bridge"
	"rsros/node/keys"
	"rsros/node/settings"
	"rsros/node/view"
	"rsros/program/help"
	"rsros/record"
	"rsros/ros/graph"
)

func newRecordCommand(a *app) *cobra.Command {
	var r recordArgs
	cmd, f := newCommand("record [TOPIC…]", nil, func(ctx context.Context, args []string) error {
		return r.run(ctx, a, args)
	})
	jobFlags(cmd, settings.Record, &r)
	a.configFlags(cmd, "topics")
	help.First(f, "all", "regex", "exclude", "output-name", "lz4", "duration", "size",
		"split-duration", "split-size", "ros", "http")
	return cmd
}

// recordArgs has the settings of record, including those without a field in record.Options.
type recordArgs struct {
	Options record.Options
	Page    view.Access
	UDP     bool          `setting:"udp"`
	World   bridge.Worlds `setting:"ros"`
}

func (r *recordArgs) run(ctx context.Context, a *app, args []string) error {
	o := &r.Options
	if err := cmp.Or(r.addTopics(args), r.Page.Check()); err != nil {
		return err
	}
	o.ROS = a.ros
	table := a.newRecordTable()
	defer table.close()
	o.Log = a.serveViewers(&r.Page)
	for _, text := range settings.Record.Misread(a.ros.PrivateParams, a.ros.Remaps,
		func(name string) bool { return slices.Contains(o.Topics, name) }) {
		o.Log.Warn().Msg(text)
	}
	if r.UDP {
		o.Log.Info().Msg("--udp: this recorder receives over TCP, which loses nothing")
	}
	if r.World == bridge.ROS2 {
		o.Join = bridge.JoinROS2
	}
	page := view.ShowRecording(view.Options{Access: r.Page})
	o.Show = func(n *graph.Node, t *record.Recording) (func() error, error) {
		hide, err := page(n, t)
		if err != nil {
			return nil, err
		}
		stop := table.show(topicTable(t, o.Ring.Before > 0))
		return func() error {
			stop()
			return hide()
		}, nil
	}
	return record.Topics(ctx, *o)
}

// addTopics adds the topics among the arguments. A number is the size limit of --split N,
// as old launch files have it; no topic has such a name.
func (r *recordArgs) addTopics(args []string) error {
	for _, arg := range args {
		size, err := strconv.ParseInt(arg, 10, 32)
		switch o := &r.Options; {
		case o.Split && err == nil && size >= 0:
			o.TotalSize = size << 20
		case !o.Regex && isAddress(arg):
			return usage("%q is not a topic name; --http takes an address after '='", arg)
		default:
			o.Topics = append(o.Topics, arg)
		}
	}
	return nil
}

// isAddress reports whether an argument is an address or a port, rather than a topic's name.
func isAddress(arg string) bool {
	return strings.Contains(arg, ":") || arg == "localhost" || arg != "" && arg[0] >= '0' && arg[0] <= '9'
}

// addressArgs refuses arguments, as cobra.NoArgs, and says how a flag takes an address.
func addressArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && isAddress(args[0]) {
		return fmt.Errorf("%s takes no %q; --http takes an address after '='", cmd.Name(), args[0])
	}
	return cobra.NoArgs(cmd, args)
}

func topicTable(t *record.Recording, ring bool) tableSource {
	figures := func() []record.Figures { return []record.Figures{t.Figures()} }
	help, commands := "space pause  s split  m mark  q quit", map[string]keys.Command{
		" ": {Do: t.TogglePause, Cuts: "pause", If: func() bool { return !t.Figures().Paused }},
		"s": {Do: t.Split, Cuts: "start a new file"},
		"q": {Do: t.Stop, Cuts: "end the recording"},
		"m": {Do: func() { t.Mark() }},
	}
	if ring {
		help += "  t trigger"
		commands["t"] = keys.Command{Do: func() { _, _ = t.Trigger() }} // there is a ring
	}
	return tableSource{figures, help, keys.NewCommands(commands)}
}
