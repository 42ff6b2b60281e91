package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// replacedCommands returns commands of rosbag whose errors name alternatives.
func replacedCommands() []*cobra.Command {
	var list []*cobra.Command
	for name, instead := range map[string]string{
		"fix":     "messages are copied and played with the definitions they were recorded with; to migrate them, use rosbag fix with rules",
		"encrypt": "encrypt whole files with gpg or age, or the file system",
		"decrypt": "encrypted bags can't be read; use rosbag decrypt",
	} {
		list = append(list, &cobra.Command{
			Use: name, Hidden: true, Args: cobra.ArbitraryArgs, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return usageError{fmt.Errorf("%s is not supported: %s", name, instead)}
			},
		})
	}
	return list
}

// migrationFlags adds the flags of rosbag check, which looks for changed types, not for
// damage. The returned function refuses them.
func migrationFlags(f *pflag.FlagSet) func(*cobra.Command, []string) error {
	f.StringP("genrules", "g", "", "")
	f.BoolP("append", "a", false, "")
	f.BoolP("noplugins", "n", false, "")
	names := []string{"genrules", "append", "noplugins"}
	for _, name := range names {
		_ = f.MarkHidden(name) // the flag exists
	}
	return func(*cobra.Command, []string) error {
		for _, name := range names {
			if f.Changed(name) {
				return usageError{fmt.Errorf("--%s is not supported: check looks for damage, not for changed types; for migration rules take rosbag check", name)}
			}
		}
		return nil
	}
}
