package load

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rsros/program/localfile"
)

// Now returns the Usage until now.
func Now() Usage {
	u := Usage{At: time.Now()}
	var own unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &own) == nil {
		u.own = time.Duration(own.Utime.Nano() + own.Stime.Nano())
	}
	if b, err := localfile.Read("/proc/stat", 1<<20); err == nil {
		u.busy, u.idle = parseStat(string(b))
	}
	return u
}

// parseStat reads the first line of /proc/stat, in which a processor that waits for a disk is idle:
//
//	cpu user nice system idle iowait irq softirq steal guest guest_nice
//
// Time of guests is part of user and nice.
func parseStat(text string) (busy, idle uint64) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, 0
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return 0, 0
		}
		if i == 3 || i == 4 {
			idle += n
		} else {
			busy += n
		}
	}
	return busy, idle
}
