package main

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/node/settings"
	"rsros/program/help"
)

// jobFlags are settingFlags of a job in a graph. What no parameter sets has its default at once.
func jobFlags(cmd *cobra.Command, set settings.Set, targets ...any) settings.Given {
	set.SetDefaults(targets...)
	return settingFlags(cmd, set, targets...)
}

// settingFlags adds the flags of a command's settings, which set the fields of targets. The
// returned map records which flags are set.
func settingFlags(cmd *cobra.Command, set settings.Set, targets ...any) settings.Given {
	given, values := settings.Given{}, settings.Values{}
	f := cmd.Flags()
	for _, field := range set.Fields(targets...) {
		if field.Flag == "" {
			continue
		}
		flag := f.VarPF(settingFlag{field, given, values}, field.Flag, field.Short, field.Usage())
		flag.DefValue, flag.NoOptDefVal = "", field.Alone // Usage has the default
		if field.Group != "" {
			help.Group(f, field.Group, field.Flag)
		}
		switch field.Kind {
		case settings.Bool:
			flag.NoOptDefVal = "true"
		case settings.Word:
			_ = cmd.RegisterFlagCompletionFunc(field.Flag,
				cobra.FixedCompletions(field.Choices, cobra.ShellCompDirectiveNoFileComp))
		case settings.File:
			_ = cmd.MarkFlagFilename(field.Flag) // the flag exists
		case settings.Folder:
			_ = cmd.MarkFlagDirname(field.Flag)
		}
	}
	return given
}

type settingFlag struct {
	settings.Field
	given  settings.Given
	values settings.Values
}

func (s settingFlag) Set(text string) error {
	err := s.Field.Set(text)
	if err == nil {
		s.given[s.Name()] = settings.Flag
		s.values[s.Name()] = append(s.values[s.Name()], text)
	}
	return err
}

func (s settingFlag) String() string { return s.Default }

func (s settingFlag) Type() string { return cmp.Or(s.Unit, s.Kind.String()) }

// expandFlags completes the abbreviated flags of rosbag record and play, which rosbag accepts. It turns "--topics /a
// /b" and "--http :8765", which pflag can't parse, into "--topics=/a --topics=/b" and "--http=:8765".
func expandFlags(root *cobra.Command, args []string) ([]string, error) {
	cmd, _, err := root.Find(args)
	if err != nil || isCompletion(args) {
		return args, nil // running the command returns the error
	}
	cmd.InitDefaultHelpFlag()
	cmd.LocalFlags() // adds the persistent flags
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...), nil
		}
		if strings.HasPrefix(arg, "--") {
			if arg, err = completeFlag(cmd, arg); err != nil {
				return nil, err
			}
		}
		setting, ok := settingOf(cmd.Flags(), arg)
		if ok && i+1 < len(args) && setting.Alone != "" && isHostPort(args[i+1]) {
			i++
			arg += "=" + args[i]
		}
		if cmd.Name() == "check" && arg == "--sync" && i+1 < len(args) && args[i+1] == syncRequired {
			i++
			arg += "=" + args[i]
		}
		if !ok || !setting.Row {
			out = append(out, arg)
			continue
		}
		first := i + 1
		for ; i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"); i++ {
			out = append(out, arg+"="+args[i+1])
		}
		if first > i {
			return nil, fmt.Errorf("%s needs a value", arg)
		}
	}
	return out, nil
}

// settingOf returns the setting of a long flag without a value.
func settingOf(f *pflag.FlagSet, arg string) (setting settingFlag, ok bool) {
	name, long := strings.CutPrefix(arg, "--")
	if flag := f.Lookup(name); long && flag != nil {
		setting, ok = flag.Value.(settingFlag)
	}
	return setting, ok
}

// isHostPort reports whether an argument after a flag that needs no value is an address for it.
func isHostPort(arg string) bool {
	_, port, err := net.SplitHostPort(arg)
	_, notNumber := strconv.ParseUint(port, 10, 16)
	return err == nil && notNumber == nil
}

// rosbagFlags are the flags that rosbag's commands accept shortened.
var rosbagFlags = map[string][]string{
	"record": strings.Fields(`all regex publish exclude quiet output-prefix output-name split max-splits size duration
		buffsize chunksize limit node bz2 lz4 tcpnodelay udp repeat-latched help`),
	"play": strings.Fields(`prefix quiet immediate pause queue clock hz delay rate start duration skip-empty loop
		keep-alive try-future-version topics pause-topics bags wait-for-subscribers rate-control-topic
		rate-control-max-delay help`),
}

// completeFlag turns "--dur=5" into "--duration=5" if only one of rosbag's flags begins with it.
func completeFlag(cmd *cobra.Command, arg string) (string, error) {
	name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	if cmd.Flags().Lookup(name) != nil {
		return arg, nil
	}
	found := slices.DeleteFunc(slices.Clone(rosbagFlags[cmd.Name()]),
		func(flag string) bool { return !strings.HasPrefix(flag, name) })
	switch {
	case len(found) > 1:
		return "", fmt.Errorf("--%s may mean --%s", name, strings.Join(found, ", --"))
	case len(found) == 0:
		return arg, nil // pflag returns the error
	case hasValue:
		return "--" + found[0] + "=" + value, nil
	}
	return "--" + found[0], nil
}

// cameraFlag adds the flag that chooses a camera of a recording of several.
func cameraFlag(f *pflag.FlagSet, camera *string) {
	f.StringVar(camera, "camera", "", "`NAME` of a camera of a recording of several, which info lists")
}
