// Package nodegraph shows the graph of a running ROS node to Foxglove, and the player of
// a recording, as a [Graph] and a [Playback] for [foxglove.Options].
//
// Messages that the node itself publishes are sent to Foxglove's clients
// from the memory that they share with ROS subscribers. Other topics are subscribed to over
// TCPROS, once for all clients. The node must outlive the server.
package nodegraph
