//go:build unix

package main

import (
	"os"

	"golang.org/x/term"
)

func enableColour(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
