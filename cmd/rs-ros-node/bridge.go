package main

import (
	"context"

	"github.com/spf13/cobra"

	"rsros/node/bridge"
	"rsros/node/settings"
	"rsros/program/help"
)

func newBridgeCommand(a *app) *cobra.Command {
	var o bridge.CarryOptions
	cmd, f := newCommand("bridge [NAME…]", nil, func(ctx context.Context, names []string) error {
		if len(names) == 0 && !o.All {
			return usage("nothing was named: rs-ros-node bridge /tf /tf_static, or -a for everything")
		}
		o.ROS, o.Names, o.Log = a.ros, names, a.logger()
		return bridge.Carry(ctx, o)
	})
	jobFlags(cmd, settings.Bridge, &o)
	help.First(f, "all", "regex", "exclude", "master")
	return cmd
}
