package peer

import (
	"bufio"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"rsros/test/need"
)

// Kill starts a program, lets it print up to most lines, and kills it at a random time
// within the next 3 ms. It returns the last line that the program printed, or "".
func Kill(t testing.TB, cmd *exec.Cmd, rnd *rand.Rand, most int) (last string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	need.Must(t, err)
	need.Must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range 1 + rnd.IntN(most) {
		if lines.Scan() {
			last = lines.Text()
		}
	}
	// A sleep would end at the system's timer ticks.
	for end := time.Now().Add(time.Duration(rnd.IntN(3000)) * time.Microsecond); time.Now().Before(end); {
	}
	need.Must(t, cmd.Process.Kill())
	for lines.Scan() {
		last = lines.Text()
	}
	cmd.Wait() //nolint:errcheck // it was killed
	return last
}
