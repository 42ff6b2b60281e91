package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// completeFlags completes the names of flags that were shortened, as the tools of
// ROS accept them: --over is --overwrite where no other flag begins so.
func completeFlags(root *cobra.Command, args []string) ([]string, error) {
	cmd, _, err := root.Find(args)
	if err != nil || isCompletion(args) {
		return args, nil // running the command will report what is wrong
	}
	cmd.InitDefaultHelpFlag()
	cmd.LocalFlags() // merges those of all commands
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...), nil
		}
		if strings.HasPrefix(arg, "--") {
			if arg, err = completeFlag(cmd.Flags(), arg); err != nil {
				return nil, err
			}
		}
		out = append(out, arg)
	}
	return out, nil
}
