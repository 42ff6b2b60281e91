package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// takesColour tells whether a file is a console that shows colours, and has it show them.
func takesColour(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
