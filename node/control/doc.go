// Package control lets other nodes control playback of bags and of recordings as
// devices, by services, topics and dynamic_reconfigure (Remote). It also publishes the
// state on ~status (Status).
//
// It starts no goroutine: requests run on the node's goroutines and are passed to the
// Player.
package control
