package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func outputFlag(f *pflag.FlagSet, out *string, usage string) {
	f.StringVarP(out, "output", "o", "", usage)
}

// overwriteFlag adds --overwrite, and --force, rosbag's name for it.
func overwriteFlag(f *pflag.FlagSet, overwrite *bool, usage string) {
	f.BoolVarP(overwrite, "overwrite", "f", false, usage)
	f.BoolVar(overwrite, "force", false, "as --overwrite")
	_ = f.MarkHidden("force") // the flag exists
}

// withOutput checks the arguments of a command that needs --output.
func withOutput(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil || cmd.Flags().Changed("output") {
			return err
		}
		return fmt.Errorf("%s needs -o, the output", cmd.Name())
	}
}
