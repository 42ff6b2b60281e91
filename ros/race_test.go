//go:build race

package ros

// raceEnabled reports whether the race detector is on, which makes sync.Pool drop items at random.
const raceEnabled = true
