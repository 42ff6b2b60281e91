package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"rsros/camdriver"
	"rsros/node/bridge"
	"rsros/node/live"
	"rsros/node/settings"
	"rsros/node/view"
	"rsros/program/help"
	"rsros/ros/graph"
	"rsros/viewer"
	"rsros/viewer/api"
)

func newViewCommand(a *app) *cobra.Command {
	var v viewArgs
	cmd, f := newCommand("view [DEVICE | FILE | FOLDER]", cobra.MaximumNArgs(1),
		func(ctx context.Context, args []string) error { return v.run(ctx, a, args) })
	jobFlags(cmd, settings.View, &v)
	help.First(f, "http", "bags", "record-path", "master", "no-open")
	return cmd
}

type viewArgs struct {
	NoOpen  bool          `setting:"no-open"`
	Camera  string        `setting:"camera"`
	World   bridge.Worlds `setting:"ros"`
	Master  string        `setting:"master"` // the first field of a name counts, and Options.Recording has one, too
	Options viewer.RunOptions
	Streams live.StreamSettings
}

func (v *viewArgs) run(ctx context.Context, a *app, args []string) error {
	o := v.Options
	settings.Live.Complete(nil, settings.Fields{"buffsize": &o.Recording.QueueBytes})
	if len(args) == 1 {
		o.Show = args[0]
	}
	o.Log, o.Lines = a.loggerForViewers()
	o.Choose = v.Streams.Choose
	o.Open = func(ctx context.Context, device string) (camdriver.Device, error) {
		return live.OpenSource(ctx, live.SourceOptions{Device: device, Named: v.Camera, All: true, Paused: true, Log: o.Log})
	}
	o.Ready = func(url string) {
		fmt.Fprintln(a.out, url)
		if !v.NoOpen {
			openBrowser(url)
		}
	}
	if v.Master == "" && v.World != bridge.ROS2 {
		o.Candidates = []api.Candidate{{ID: "sim", Name: "Simulated D435i"}, {ID: "usb", Name: "USB camera"}}
		return viewer.Run(ctx, o)
	}
	join, err := v.join(a, o)
	if err != nil {
		return usageError{err}
	}
	return view.Run(ctx, join, v.World, o)
}

// join returns how to join the graph of a master, which is an address or a graph.Mode, or of ROS 2.
func (v *viewArgs) join(a *app, o viewer.RunOptions) (graph.JoinOptions, error) {
	join := graph.JoinOptions{ROS: a.ros, Name: "view", Unique: true, Log: o.Log}
	switch mode := graph.Mode(v.Master); {
	case o.Show != "" || o.Folder != "":
		return join, errors.New("--master and --ros 2 show a graph; they exclude a device, recording or folder")
	case v.World == bridge.ROS2 && v.Master == "":
	case v.World == bridge.ROS2:
		return join, errors.New("--ros 2 needs no --master")
	case mode == graph.ROS || mode == graph.Embedded || mode == graph.Auto:
		join.Master = mode
	case strings.HasPrefix(v.Master, "http://"):
		join.ROS.MasterURI = v.Master
	default:
		return join, fmt.Errorf("--master %q: want ros, embedded, auto or an address such as http://robot:11311", v.Master)
	}
	return join, nil
}

func openBrowser(url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	case "linux":
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		exec.Command(path, args...).Start() //nolint:errcheck // the address is printed
	}
}
