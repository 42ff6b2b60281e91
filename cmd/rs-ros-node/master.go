package main

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"rsros/node/settings"
	"rsros/ros/graph"
)

type masterArgs struct {
	Port   int    `setting:"port"`
	Listen string `setting:"listen"`

	// Accepted for scripts that start rosmaster.
	Core       bool   `setting:"core"`
	NumWorkers int    `setting:"numworkers"`
	Timeout    string `setting:"timeout"`
}

func newMasterCommand(a *app) *cobra.Command {
	var o masterArgs
	var given settings.Given
	cmd, _ := newCommand("master", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		address := a.ros.MasterURI
		host, port, err := net.SplitHostPort(o.Listen)
		switch hasPort := given.By("port", settings.Flag); {
		case err == nil && hasPort:
			return usage("--port and the port of --listen exclude each other")
		case err == nil:
			o.Listen, address = host, ":"+port
		case hasPort:
			address = ":" + strconv.Itoa(o.Port)
		}
		m, err := graph.StartMaster(ctx, graph.MasterOptions{
			Address: address, Host: a.ros.Host, Listen: o.Listen, Log: a.logger(),
		})
		if err != nil {
			return err
		}
		defer m.Close()
		if _, err := fmt.Fprintf(a.out, "ROS_MASTER_URI=%s\n", m.URI()); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-m.ShutdownAsked():
		}
		return nil
	})
	given = settingFlags(cmd, settings.Master, &o)
	return cmd
}
