//go:build usb && usbvm

package usbvm

import (
	"os/exec"
	"testing"
	"time"

	"rsros/test/need"
)

// spare begins to use up the time that the machine's processor has to spare, and returns a function that ends it and says how large a
// part of all time it was. The processor is never at rest meanwhile, so that the machine's clock counts nothing but instructions: at
// rest it follows the host's, and a host with much to do would make the machine miss frames.
func spare(t testing.TB) func() float64 {
	t.Helper()
	loop := exec.Command("chrt", "--idle", "0", "sh", "-c", "while :; do :; done")
	need.Must(t, loop.Start())
	end := func() {
		_ = loop.Process.Kill()
		_ = loop.Wait()
	}
	t.Cleanup(end)
	start := time.Now()
	return func() float64 {
		all := time.Since(start)
		end()
		return float64(loop.ProcessState.UserTime()+loop.ProcessState.SystemTime()) / float64(all)
	}
}

// enough is the part of its time that a machine has to spare if it keeps up.
const enough = 0.05

// checkGaps checks that at most 1 % of the frames of a stream that were due haven't come, on a machine that had this part of its time
// to spare.
func checkGaps(t *testing.T, stream string, came, due int, spared float64) {
	t.Helper()
	t.Logf("%s: %d of %d frames; the machine had %.0f %% of its time to spare", stream, came, due, 100*spared)
	if (due-came)*100 <= due {
		return
	}
	if spared < enough {
		t.Errorf("%s: the machine didn't keep up", stream)
		return
	}
	t.Errorf("%s: a machine that kept up lost %d of %d frames", stream, due-came, due)
}
