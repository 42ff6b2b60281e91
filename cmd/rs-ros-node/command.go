package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newCommand returns a command without texts, which help.Describe adds, and its flags. use is the usage line; nil args
// accept any.
func newCommand(use string, args cobra.PositionalArgs,
	run func(ctx context.Context, args []string) error) (*cobra.Command, *pflag.FlagSet) {
	cmd := &cobra.Command{Use: use, Args: args}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }
	return cmd, cmd.Flags()
}

// usage returns an error of the command line.
func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
