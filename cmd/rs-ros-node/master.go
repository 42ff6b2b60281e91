package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rsros/node/graph"
)

func newMasterCommand(a *app) *cobra.Command {
	var port, workers int
	var listen, timeout string
	cmd := &cobra.Command{
		Use:   "master",
		Short: "Run the embedded ROS master, parameter server and rosout",
		Long: `master is a roscore for machines without ROS: it runs the master, the parameter
server and the rosout aggregator in one process. It prints its URI and runs until stopped.

It listens on this machine's loopback address alone. ROS_IP, ROS_HOSTNAME or
--listen let other machines reach it. Its port is that of ROS_MASTER_URI.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			address := a.ros.MasterURI
			if cmd.Flags().Changed("port") {
				address = ":" + strconv.Itoa(port)
			}
			m, err := graph.StartMaster(cmd.Context(), graph.MasterOptions{
				Address: address, Host: a.ros.Host, Listen: listen, Log: a.logger(),
			})
			if err != nil {
				return err
			}
			defer m.Close()
			if _, err := fmt.Fprintf(a.out, "ROS_MASTER_URI=%s\n", m.URI()); err != nil {
				return err
			}
			select {
			case <-cmd.Context().Done():
			case <-m.ShutdownAsked():
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVarP(&port, "port", "p", 11311, "port to listen on; 0 chooses a free one (default that of ROS_MASTER_URI)")
	f.StringVar(&listen, "listen", "", "address to listen on besides loopback; 0.0.0.0 is every address of this machine")
	// What scripts give rosmaster: this one needs neither.
	f.Bool("core", false, "accepted for rosmaster's sake")
	f.IntVarP(&workers, "numworkers", "w", 0, "accepted for rosmaster's sake")
	f.StringVarP(&timeout, "timeout", "t", "", "accepted for rosmaster's sake")
	return cmd
}
