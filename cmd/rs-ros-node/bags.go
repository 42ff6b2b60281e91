package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/program"
)

var (
	// errInterrupted reports Ctrl-C during work on a file. Unlike the end of a running node, it is a failure.
	errInterrupted = errors.New("interrupted before the end")
	errSameFile    = usage("input and output are the same file")
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

func printNotes(w io.Writer, notes []bagstore.Note) {
	for _, n := range notes {
		at := ""
		if n.Offset >= 0 {
			at = fmt.Sprintf(" at byte %d", n.Offset)
		}
		fmt.Fprintf(w, "  %v%s, %s: %s\n", n.Severity, at, n.Kind, n.Text)
	}
}

// filled is made for a folder, and noOutput if it wasn't made.
func (a *app) filled(s program.Summary, err error) error {
	if err = noOutput(err); err == nil || exitCode(err) == exitIncomplete {
		a.made(s)
	}
	return err
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

// made prints the last line of a command, which says what it made.
func (a *app) made(s program.Summary) {
	if i := slices.Index(s.Paths, place.Stream); i >= 0 {
		s.Paths[i], s.Next = "standard output", ""
	}
	if !a.quiet {
		fmt.Fprintln(a.err, s)
	}
}
