package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What rosbag has and this program doesn't is named with what does the work here.

// insteadCommands are commands of rosbag that only say so.
func insteadCommands() []*cobra.Command {
	var list []*cobra.Command
	for name, instead := range map[string]string{
		"fix":     "messages are copied and played as they were recorded, and other definitions of a type are never put in their place; take rosbag fix with rules for it",
		"encrypt": "bags are not encrypted; encrypt whole files, with gpg or age, or the file system",
		"decrypt": "encrypted bags can't be read; take rosbag decrypt",
	} {
		list = append(list, &cobra.Command{
			Use: name, Hidden: true, Args: cobra.ArbitraryArgs, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return usageError{fmt.Errorf("%s isn't here: %s", name, instead)}
			},
		})
	}
	return list
}

// migrationFlags are those of rosbag check, which looks for types that have
// changed, not for damage. The error says so if one was given.
func migrationFlags(f *pflag.FlagSet) (given func() error) {
	f.StringP("genrules", "g", "", "")
	f.BoolP("append", "a", false, "")
	f.BoolP("noplugins", "n", false, "")
	names := []string{"genrules", "append", "noplugins"}
	for _, name := range names {
		_ = f.MarkHidden(name) // it is there
	}
	return func() error {
		for _, name := range names {
			if f.Changed(name) {
				return usageError{fmt.Errorf("--%s isn't here: check looks for damage, not for types that have changed; take rosbag check for migration rules", name)}
			}
		}
		return nil
	}
}
