package program

// Name and Version of this program, as recordings name their maker.
const (
	Name    = "rs-ros-node"
	Version = "0.1.0"
)
