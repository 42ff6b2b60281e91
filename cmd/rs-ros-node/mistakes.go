package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/program/nearest"
)

// flagError returns the error of a wrong flag, with the nearest flag that exists.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	switch {
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		word := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()) // -device is read as -d, -e, …
		if cmd.Name() == "check" && slices.Contains(migrationFlags, word) {
			err = fmt.Errorf("%w: check looks for damage, not for changed types; for migration rules take rosbag check", err)
			break
		}
		if near := nearest.Name(word, names); near != "" && len(word) > 1 {
			err = fmt.Errorf("%w; did you mean --%s?", err, near)
		} else {
			err = fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
		}
	case errors.As(err, &invalid) && errors.As(err, &number):
		wants := "a whole number"
		switch invalid.GetFlag().Value.Type() {
		case "bool":
			wants = "true or false"
		case "float64":
			wants = "a number"
		}
		err = fmt.Errorf("invalid argument %q for %q flag: want %s", invalid.GetValue(), "--"+invalid.GetFlag().Name, wants)
	case errors.As(err, &invalid) && invalid.GetValue() == invalid.GetFlag().NoOptDefVal: // it was given without a value
		err = fmt.Errorf("--%s: %w", invalid.GetFlag().Name, errors.Unwrap(invalid))
	}
	return usageError{err}
}

// unknownCommand adds the nearest command, and all commands, to cobra's error.
func unknownCommand(root *cobra.Command, err error) error {
	var word string
	if _, other := fmt.Sscanf(err.Error(), "unknown command %q", &word); other != nil {
		return usageError{err}
	}
	if instead, ok := replacedCommands[word]; ok {
		return usage("%s is not supported: %s", word, instead)
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return usage("unknown command %q%s\ncommands: %s", word, nearest.Hint(word, names), strings.Join(names, ", "))
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// withHelp adds what helps to an error: the flag, if a file exists or an address is in use; the nearest name, if there
// is no such file.
func withHelp(cmd *cobra.Command, err error) error {
	var file *fs.PathError
	if errors.As(err, &file) && file.Op == "create" && errors.Is(file, fs.ErrExist) &&
		cmd.Flags().Lookup("overwrite") != nil {
		if isFile(file.Path) {
			return fmt.Errorf("%w; --overwrite replaces it", err)
		}
	}
	if errors.As(err, &file) && file.Op == "open" && errors.Is(file, fs.ErrNotExist) {
		if name, value, ok := strings.Cut(file.Path, "="); ok {
			return fmt.Errorf("%w; did you mean the remapping %s:=%s?", err, name, value)
		}
		if active := file.Path + ".active"; isFile(active) {
			return fmt.Errorf("%w; it is being recorded, as %s, or its recorder was killed", err, active)
		}
		return fmt.Errorf("%w%s", err, nearest.File(file.Path))
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		for _, flag := range []string{"http", "listen"} {
			if cmd.Flags().Lookup(flag) != nil {
				return fmt.Errorf("%w; --%s=ADDRESS:PORT takes another one", err, flag)
			}
		}
	}
	return err
}
