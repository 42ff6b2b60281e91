// Package control lets others in the graph control playback, that of the player or
// of a recording as a device: by services, topics and dynamic_reconfigure (Remote).
// It also publishes the state on ~status (Status).
//
// It may use node/graph, node/ros and the commands of node/replay. It starts no
// goroutine: requests run on the node's goroutines and are passed to the Player.
package control
