package main

import (
	"errors"

	"github.com/spf13/cobra"

	"rsros/node/bridge"
	"rsros/node/settings"
	"rsros/program/help"
)

func newBridgeCommand(a *app) *cobra.Command {
	var o bridge.CarryOptions
	cmd := &cobra.Command{
		Use: "bridge [NAME…]",
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 && !o.All {
				return usageError{errors.New("nothing was named: rs-ros-node bridge /tf /tf_static, or -a for everything")}
			}
			o.ROS, o.Names, o.Log = a.ros, names, a.logger()
			return bridge.Carry(cmd.Context(), o)
		},
	}
	jobFlags(cmd, settings.Bridge, &o)
	help.First(cmd.Flags(), "all", "regex", "exclude", "master")
	return cmd
}
