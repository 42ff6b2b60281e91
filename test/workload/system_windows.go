package workload

import (
	"testing"

	"golang.org/x/sys/windows"
)

// Guarded returns n bytes of ordinary memory: there are no guard pages here.
func Guarded(_ testing.TB, n int) GuardedMemory { return make([]byte, n) }

// CPUTime is the time of this process in seconds, in user mode and in the kernel; zeros if
// the system doesn't tell.
func CPUTime() (user, system float64) {
	var created, ended, kernel, own windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &own) != nil {
		return 0, 0
	}
	return seconds(own), seconds(kernel)
}

// seconds converts a duration that is counted in steps of 100 ns.
func seconds(d windows.Filetime) float64 {
	return float64(uint64(d.HighDateTime)<<32|uint64(d.LowDateTime)) / 1e7
}
