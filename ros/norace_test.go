//go:build !race

package ros

const raceEnabled = false
