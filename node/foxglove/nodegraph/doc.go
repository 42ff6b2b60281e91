// Package nodegraph shows the graph of a running ROS node to Foxglove, and the player of
// a recording.
//
// In: a node, and perhaps a player. Out: a [Graph] and a [Playback] for
// [foxglove.Options]. What the node itself publishes goes to Foxglove's clients from
// the memory that ROS subscribers get it from; other topics are subscribed to over
// TCPROS, once for all clients. The node must outlive the server.
package nodegraph
