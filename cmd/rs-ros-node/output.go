package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/bagstore/place"
)

// outputFlag adds --output.
func outputFlag(f *pflag.FlagSet, out *string, usage string) {
	f.StringVarP(out, "output", "o", "", usage)
}

// overwriteFlag adds --overwrite, and --force, rosbag's name for it.
func overwriteFlag(f *pflag.FlagSet, overwrite *bool, usage string) {
	f.BoolVarP(overwrite, "overwrite", "f", false, usage)
	f.BoolVar(overwrite, "force", false, "as --overwrite")
	_ = f.MarkHidden("force") // the flag exists
}

// withOutput checks the arguments of a command that needs --output: at most so many, or any number for 0. If one of
// them was meant as the output, the error has the command line with -o.
func withOutput(most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch out := misplacedOutput(args, most); {
		case len(args) == 0:
			return fmt.Errorf("%s needs a recording to read", cmd.Name())
		case cmd.Flags().Changed("output"):
			if most > 0 && len(args) > most {
				return fmt.Errorf("%s can't take %q: it reads one recording", cmd.Name(), args[most])
			}
			return nil
		case out > 0:
			return fmt.Errorf("the output follows -o: %s %s -o %s", cmd.CommandPath(), strings.Join(args[:out], " "), args[out])
		}
		return fmt.Errorf("%s needs -o, the output", cmd.Name())
	}
}

// misplacedOutput returns which of the arguments was meant as an output, or 0.
func misplacedOutput(args []string, most int) int {
	last := len(args) - 1
	switch {
	case last < 1:
	case most == 1 || most > 1 && slices.Contains([]string{".bag", ".db3", ".mcap"}, filepath.Ext(args[1])):
		return 1
	case most == 0 && !place.IsAddress(args[last]):
		if _, err := os.Stat(args[last]); err != nil {
			return last
		}
	}
	return 0
}
