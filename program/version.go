// Package program defines the program's name and version, the errors that determine its
// exit code, and the form of the line with which a command ends.
package program

// Name is the program's name, also as the origin of recordings.
const Name = "rs-ros-node"

// Version and Commit identify the build, also in recordings. A version ends in -dev until it is released.
// deploy/goreleaser.yaml sets both with -X. Commit is empty in other builds, because Go's build information has it.
var (
	Version = "1.0.0"
	Commit  = ""
)
