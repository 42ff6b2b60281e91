package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableColour turns on colours if f is a console, and reports whether they are on.
func enableColour(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
