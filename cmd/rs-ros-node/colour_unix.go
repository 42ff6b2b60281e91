//go:build unix

package main

import (
	"os"

	"golang.org/x/term"
)

// takesColour tells whether a file is a terminal that shows colours.
func takesColour(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
