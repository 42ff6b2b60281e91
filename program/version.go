package program

// Name is this program's, as recordings name their maker.
const Name = "rs-ros-node"

// Version and Commit are what the program was built from, as recordings name it. Releases are linked with values of
// their own (-X, by deploy/dist); Commit is empty in other builds, of which Go knows the commit.
var (
	Version = "0.1.0"
	Commit  = ""
)
