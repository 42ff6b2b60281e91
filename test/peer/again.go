package peer

import (
	"os"
	"os/exec"
)

// Again is a command that starts this test program again, in the emulator that runs it
// if there is one (test/arm.sh).
func Again() *exec.Cmd {
	if emulator := os.Getenv("RS_EMULATOR"); emulator != "" {
		return exec.Command(emulator, os.Args[0])
	}
	return exec.Command(os.Args[0])
}
