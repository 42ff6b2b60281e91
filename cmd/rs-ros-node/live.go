package main

import (
	"context"

	"github.com/spf13/cobra"

	"rsros/node/keys"
	"rsros/node/live"
	"rsros/node/settings"
	"rsros/program/help"
)

func newLiveCommand(a *app) *cobra.Command {
	var o live.Options
	cmd, f := newCommand("live", addressArgs, func(ctx context.Context, _ []string) error {
		o.ROS = a.ros
		if o.Record != "" {
			table := a.newRecordTable()
			defer table.close()
			o.Show = func(n *live.Session) (hide func()) {
				help, commands := n.RecordKeys()
				return table.show(tableSource{n.RecordFigures, help, keys.NewCommands(commands)})
			}
		}
		o.Log = a.serveViewers(&o.HTTP)
		return live.Run(ctx, o)
	})
	o.Given = jobFlags(cmd, settings.Live, o.Lists(), &o)
	a.configFlags(cmd, "")
	help.First(f, "device", "depth", "color", "naming", "align-depth", "pointcloud", "record",
		"duration", "ros", "master", "http")
	return cmd
}
