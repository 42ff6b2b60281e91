// Package program holds what every part of rs-ros-node agrees on: its name and
// version, and the kinds of failure that its exit codes tell apart. It imports
// nothing of this module.
package program
