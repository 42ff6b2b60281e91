// Package control is how others in the graph steer playback, be it a player or a
// recording that plays as a device: services, topics and dynamic_reconfigure
// (Remote), and the state on ~status (Status).
//
// It may use node/graph, node/ros and the words of node/replay. It starts no
// goroutine: requests run on the node's goroutines and are handed to the Player.
package control
