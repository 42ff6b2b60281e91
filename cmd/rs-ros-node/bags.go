package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"rsros/bagstore"
	"rsros/program"
)

var (
	// errInterrupted reports Ctrl-C during work on a file. Unlike the end of a running
	// node, it is a failure.
	errInterrupted = errors.New("interrupted before the end")
	errSameFile    = usageError{errors.New("input and output are the same file")}
)

// noOutput explains an error that left no output.
func noOutput(err error) error {
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	if _, damaged := errors.AsType[*bagstore.FormatError](err); damaged {
		return fmt.Errorf("%w; recover makes a sound bag of the intact messages", err)
	}
	return err
}

// overwriteFlag adds --overwrite, and --force, rosbag's name for it.
func overwriteFlag(f *pflag.FlagSet, overwrite *bool, usage string) {
	f.BoolVarP(overwrite, "overwrite", "f", false, usage)
	f.BoolVar(overwrite, "force", false, "as --overwrite")
	_ = f.MarkHidden("force") // the flag exists
}

// quietFlag adds --quiet, rosbag's name for --no-log.
func (a *app) quietFlag(f *pflag.FlagSet) {
	f.BoolVarP(&a.quiet, "quiet", "q", false, "log errors only")
}

func printNotes(w io.Writer, notes []bagstore.Note) {
	for _, n := range notes {
		at := ""
		if n.Offset >= 0 {
			at = fmt.Sprintf(" at byte %d", n.Offset)
		}
		fmt.Fprintf(w, "  %v%s, %s: %s\n", n.Severity, at, n.Kind, n.Text)
	}
}

// verdict collects the outcomes of several bags. The worst one decides the exit code.
type verdict struct {
	damaged, failed []string
}

func (v *verdict) add(path string, o bagstore.Outcome) {
	switch o {
	case bagstore.Damaged:
		v.damaged = append(v.damaged, path)
	case bagstore.Unreadable:
		v.failed = append(v.failed, path)
	}
}

func (v *verdict) err(damaged, failed string) error {
	switch {
	case len(v.failed) > 0:
		return fmt.Errorf("%s: %s", failed, strings.Join(v.failed, ", "))
	case len(v.damaged) > 0:
		return fmt.Errorf("%w: %s: %s", program.ErrIncomplete, damaged, strings.Join(v.damaged, ", "))
	}
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
