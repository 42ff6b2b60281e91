package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rsros/camdriver"
	"rsros/node/live"
	"rsros/node/view"
	"rsros/node/view/wire"
)

func newViewCommand(a *app) *cobra.Command {
	o := view.RunOptions{}
	var streams live.StreamSettings
	var noOpen bool
	cmd := &cobra.Command{
		Use:   "view [DEVICE | FILE | FOLDER]",
		Short: "Show a camera or a recording in the browser",
		Long: `view shows a camera or a RealSense recording in the browser: exact depth, colour,
points, the inertial sensors, options, and recording and playback controls. Of any
other recording (.bag, .mcap, .db3) it shows the topics. It needs no ROS and no master. It prints the address of its page, which only this machine can
open unless --listen names another address; then the address carries a token.

DEVICE is sim, usb or usb:SERIAL. With a FOLDER, or --bags FOLDER, the page lists the
recordings in it. Without an argument nothing is shown until a device is chosen in the
page.`,
		Example: `  rs-ros-node view walk.bag
  rs-ros-node view sim
  rs-ros-node view ~/recordings`,
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
					view.OpenBrowser(url)
				}
			}
			return view.Run(cmd.Context(), o)
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
	streamFlags(f, &streams)
	return cmd
}
