package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"rsros/node/settings"
)

// settingFlags adds the flags of a command's settings, which set the fields of targets. The
// returned map records which flags are set.
func settingFlags(cmd *cobra.Command, set settings.Set, targets ...any) settings.Given {
	given := settings.Given{}
	f := cmd.Flags()
	for _, field := range set.Fields(targets...) {
		if field.Flag == "" {
			continue
		}
		flag := f.VarPF(settingFlag{field, given}, field.Flag, field.Short, field.Usage())
		flag.DefValue, flag.NoOptDefVal = field.Default, field.Alone
		switch field.Kind {
		case settings.Bool:
			flag.NoOptDefVal = "true"
		case settings.Word:
			_ = cmd.RegisterFlagCompletionFunc(field.Flag, cobra.FixedCompletions(field.Choices, cobra.ShellCompDirectiveNoFileComp))
		case settings.File:
			_ = cmd.MarkFlagFilename(field.Flag) // the flag exists
		case settings.Folder:
			_ = cmd.MarkFlagDirname(field.Flag)
		}
	}
	return given
}

// settingFlag is the pflag.Value of a setting.
type settingFlag struct {
	settings.Field
	given settings.Given
}

func (s settingFlag) Set(text string) error {
	err := s.Field.Set(text)
	if err == nil {
		s.given[s.Name()] = settings.Flag
	}
	return err
}

func (s settingFlag) String() string { return s.Default }

func (s settingFlag) Type() string { return cmp.Or(s.Unit, s.Kind.String()) }
