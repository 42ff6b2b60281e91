package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/camdriver/usb"
	"rsros/node/play"
	"rsros/program"
	"rsros/program/localfile"
	"rsros/replay"
)

func newVersionCommand() *cobra.Command {
	features := false
	cmd := &cobra.Command{
		Use:  "version",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), build())
			if err == nil && features {
				err = printFeatures(cmd.OutOrStdout())
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&features, "features", false, "print which features this build has on this machine")
	return cmd
}

// build returns the version and what the program was built with.
func build() string {
	return fmt.Sprintf("rs-ros-node %s%s (%s %s/%s, USB %s)",
		program.Version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH, usbSupport())
}

// usbSupport describes whether this build can open USB cameras.
func usbSupport() string {
	if usb.Available {
		return "yes"
	}
	return "no, build with -tags usb"
}

func commit() string {
	if program.Commit != "" {
		if strings.HasSuffix(program.Version, program.Commit) {
			return "" // the version of an unreleased build contains it
		}
		return " " + program.Commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return " " + s.Value[:12]
		}
	}
	return ""
}

// printFeatures prints which platform-dependent features this build has on this machine.
func printFeatures(out io.Writer) error {
	bags := bagstore.ThisPlatform()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range [][2]string{
		{"direct writing", bags.Direct},
		{"whole files read directly", bags.Ahead},
		{"disk space reserved ahead", bags.Reserve},
		{"free space watched", localfile.FreeSpaceMethod},
		{"files locked", bags.Locks},
		{"messages mapped", bags.Maps},
		{"huge pages", bags.HugePages},
		{"exact timing", replay.Precision},
		{"keys", play.Keys},
		{"job control", play.JobControl},
		{"USB cameras", usbSupport()},
	} {
		fmt.Fprintf(table, "%s\t%s\n", f[0], f[1]) //nolint:errcheck // Flush returns the error
	}
	return table.Flush()
}
