package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"rsros/program"
)

func newVersionCommand() *cobra.Command {
	features := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and the build",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "rs-ros-node %s%s (%s %s/%s, USB %s)\n",
				program.Version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH, usbSupport)
			if err == nil && features {
				err = printFeatures(cmd.OutOrStdout())
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&features, "features", false, "print which features this build has on this machine")
	return cmd
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
