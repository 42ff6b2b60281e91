package node

// Program and Version are what recordings say they were made by.
const (
	Program = "rs-ros-node"
	Version = "0.1.0"
)
