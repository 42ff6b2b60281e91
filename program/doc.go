// Package program has what every part of rs-ros-node shares: its name and version,
// and the kinds of failure that the exit codes distinguish. It imports
// nothing of this module.
package program
