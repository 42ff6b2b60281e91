//go:build unix

package main

import (
	"os"

	"golang.org/x/term"
)

func takesColour(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
