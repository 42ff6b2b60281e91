package main

import (
	"github.com/spf13/cobra"

	"rsros/tools/export"
)

func newCatCommand(a *app) *cobra.Command {
	var o export.CatOptions
	cmd := &cobra.Command{
		Use:   "cat BAG…",
		Short: "Print messages, as rostopic echo -b does, or as JSON lines",
		Long: `cat prints the messages of bags in time order. It decodes them by the definitions
in the bags and needs no message packages. The text is that of rostopic echo -b. If
there are several topics, a comment before each message names its topic and time.
With --json each message is one line:

  {"topic":"/imu","type":"sensor_msgs/Imu","time":12.5,"message":{…}}

Exit codes: 0 done, 3 some messages are damaged or lost, 1 not readable.`,
		Example: `  rs-ros-node cat walk.bag --topics /imu -n 1
  rs-ros-node cat walk.bag --noarr --start 10 --end 11
  rs-ros-node cat walk.bag --topics /odom --json | jq .message.pose`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Bags, o.Out, o.Log, o.Progress = args, a.out, a.logger(), a.fetching(args[0])
			return export.Cat(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	o.Selection.Flags(f)
	f.Uint64VarP(&o.Count, "count", "n", 0, "stop after `N` messages")
	f.BoolVar(&o.JSON, "json", false, "print JSON lines")
	f.BoolVar(&o.Print.OmitArrays, "noarr", false, "leave out the content of arrays, like rostopic echo --noarr")
	f.BoolVar(&o.Print.OmitStrings, "nostr", false, "leave out strings, like rostopic echo --nostr")
	f.IntVar(&o.Print.MaxArray, "max-array", 0, "print at most `N` elements of an array")
	return cmd
}
