package program

// Name is the program's name, also as the origin of recordings.
const Name = "rs-ros-node"

// Version and Commit identify the build, also in recordings. A version ends in -dev until it is
// released. deploy/dist sets both with -X. Commit is empty in other builds, because Go's build information has it.
var (
	Version = "0.1.0-dev"
	Commit  = ""
)
