package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rsros/node/graph"
)

func newMasterCommand(a *app) *cobra.Command {
	port := 11311
	cmd := &cobra.Command{
		Use:   "master",
		Short: "Run the embedded ROS master, parameter server and rosout",
		Long: `master is a roscore for machines without ROS: it runs the master, the parameter
server and the rosout aggregator in one process. It prints its URI and runs until stopped.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := graph.StartMaster(cmd.Context(), graph.MasterOptions{
				Address: ":" + strconv.Itoa(port), Host: a.ros.Host, Log: a.logger(),
			})
			if err != nil {
				return err
			}
			defer m.Close()
			if _, err := fmt.Fprintf(a.out, "ROS_MASTER_URI=%s\n", m.URI()); err != nil {
				return err
			}
			<-cmd.Context().Done()
			return nil
		},
	}
	cmd.Flags().IntVarP(&port, "port", "p", port, "port to listen on; 0 chooses a free one")
	return cmd
}
