//go:build unix

package main

import (
	"os"

	"golang.org/x/term"
)

// takesColour reports whether f is a terminal.
func takesColour(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
