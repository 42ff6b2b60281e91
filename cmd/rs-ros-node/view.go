package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rsros/camdriver"
	"rsros/node/graph"
	"rsros/node/live"
	"rsros/node/view"
	"rsros/node/view/wire"
	"rsros/node/viewers"
)

func newViewCommand(a *app) *cobra.Command {
	o := view.RunOptions{}
	var streams live.StreamSettings
	var noOpen bool
	var master string
	cmd := &cobra.Command{
		Use:   "view [DEVICE | FILE | FOLDER]",
		Short: "Show a camera or a recording in the browser",
		Long: `view shows a camera or a RealSense recording in the browser: exact depth, colour,
points, the inertial sensors, options, and recording and playback controls. Of any
other recording (.bag, .mcap, .db3) it shows the topics. It needs no ROS and no master.
It prints the address of its page, which only this machine can open unless --listen
names another address; then the address carries a token.

With --master it shows the topics of a running graph, each subscribed to while somebody
watches it, and lets Foxglove and Lichtblick connect to the same port.

DEVICE is sim, usb or usb:SERIAL. With a FOLDER, or --bags FOLDER, the page lists the
recordings in it. Without an argument nothing is shown until a device is chosen in the
page.`,
		Example: `  rs-ros-node view walk.bag
  rs-ros-node view sim
  rs-ros-node view ~/recordings
  rs-ros-node view --master http://robot:11311`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Show = args[0]
			}
			o.Log, o.Lines = a.viewedLogger()
			o.Choose = streams.Choose
			o.Candidates = []wire.Candidate{{ID: "sim", Name: "Simulated D435i"}, {ID: "usb", Name: "USB camera"}}
			o.Open = func(ctx context.Context, device string) (camdriver.Device, error) {
				return live.OpenSource(ctx, live.SourceOptions{Device: device, Speed: 1, Paused: true, Log: o.Log})
			}
			o.Ready = func(url string) {
				fmt.Fprintln(a.out, url)
				if !noOpen {
					openBrowser(url)
				}
			}
			if master == "" {
				return view.Run(cmd.Context(), o)
			}
			o.Candidates = nil
			join, err := viewJoin(a, master, o)
			if err != nil {
				return usageError{err}
			}
			return viewers.Run(cmd.Context(), join, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Address, "listen", "", "address and port for viewers (default: a free port that only this machine reaches)")
	f.StringVar(&o.Folder, "bags", "", "folder of recordings that viewers may open and download")
	f.StringVar(&o.RecordDir, "record-path", ".", "folder for recordings that viewers start")
	f.BoolVar(&o.ViewOnly, "view-only", false, "viewers may look, and change nothing")
	f.BoolVar(&o.NoAuth, "no-auth", false, "ask for no token, although other machines can connect")
	f.StringSliceVar(&o.AllowHosts, "allow-host", nil, "another name that browsers may use for this machine without a token")
	f.StringSliceVar(&o.Origins, "allow-origin", nil, "an origin of another site whose pages may connect, such as https://example.org")
	f.BoolVar(&noOpen, "no-open", false, "print the address, and don't open the browser")
	f.StringVar(&master, "master", "", "show this graph: the address of its master; ros for ROS_MASTER_URI; embedded or auto to start one there")
	streamFlags(f, &streams)
	return cmd
}

// viewJoin says how the viewer joins the graph of a master, which is an address or one of
// the words of graph.Mode.
func viewJoin(a *app, master string, o view.RunOptions) (graph.JoinOptions, error) {
	join := graph.JoinOptions{ROS: a.ros, Name: "view", Unique: true, Log: o.Log}
	switch mode, err := graph.ParseMode(master); {
	case o.Show != "" || o.Folder != "":
		return join, errors.New("with --master the graph is shown, and no device, recording or folder")
	case err == nil:
		join.Master = mode
	case strings.HasPrefix(master, "http://"):
		join.ROS.MasterURI = master
	default:
		return join, fmt.Errorf("--master %q: want ros, embedded, auto or an address such as http://robot:11311", master)
	}
	return join, nil
}
