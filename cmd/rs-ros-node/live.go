package main

import (
	"github.com/spf13/cobra"

	"rsros/node/keys"
	"rsros/node/live"
	"rsros/node/settings"
	"rsros/program/help"
)

func newLiveCommand(a *app) *cobra.Command {
	var o live.Options
	cmd := &cobra.Command{
		Use:  "live",
		Args: addressArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ROS = a.ros
			if o.Record != "" {
				table := a.newRecordTable()
				defer table.close()
				o.Show = func(n *live.Node) (hide func()) {
					help, commands := n.RecordKeys()
					return table.show(tableSource{n.RecordFigures, help, keys.NewCommands(commands)})
				}
			}
			o.Log = a.serveViewers(&o.HTTP)
			return live.Run(cmd.Context(), o)
		},
	}
	o.Given = jobFlags(cmd, settings.Live, o.Lists(), &o)
	a.configFlags(cmd, "")
	help.First(cmd.Flags(), "device", "depth", "color", "naming", "align-depth", "pointcloud", "record",
		"duration", "ros", "master", "http")
	return cmd
}
