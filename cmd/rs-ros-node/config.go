package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/node/settings"
	"rsros/program/help"
)

// configFlags adds --config and --print-config to a command with settings. Its arguments are
// values of one of them; "" is a command without arguments.
func (a *app) configFlags(cmd *cobra.Command, arguments string) {
	f, run := cmd.Flags(), cmd.RunE
	file := f.String("config", "", "read settings from this YAML `FILE`: the names of flags, which take precedence")
	show := f.Bool("print-config", false, "print the settings as YAML for --config, and end")
	help.Group(f, "Configuration", "config", "print-config")
	_ = cmd.MarkFlagFilename("config", "yaml", "yml") // the flag exists
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var fields []settings.Field
		var line settingFlag
		f.VisitAll(func(flag *pflag.Flag) {
			if s, ok := flag.Value.(settingFlag); ok {
				line = s
				fields = append(fields, s.Field)
			}
		})
		if len(args) > 0 {
			line.given[arguments] = settings.Flag
			line.values[arguments] = append(line.values[arguments], args...)
		}
		if *file != "" {
			if err := settings.ReadFile(*file, fields, line.given, line.values); err != nil {
				return usageError{err}
			}
		}
		if *show {
			return settings.Write(a.out, fields, line.values)
		}
		return run(cmd, args)
	}
}
