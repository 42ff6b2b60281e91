package program

// Name is the program's name, also as the origin of recordings.
const Name = "rs-ros-node"

// Version and Commit are what the program was built from, as recordings name it. A version ends in -dev until it is
// released. deploy/dist links values of its own (-X); Commit is empty in other builds, of which Go knows the commit.
var (
	Version = "0.1.0-dev"
	Commit  = ""
)
