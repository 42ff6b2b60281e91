//go:build race

package ros

// raceEnabled: the race detector makes sync.Pool forget at random.
const raceEnabled = true
