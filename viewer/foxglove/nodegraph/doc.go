// Package nodegraph shows the graph of a running ROS node to viewers and Foxglove's clients, as
// a [foxglove.Graph].
//
// Messages that the node itself publishes are sent
// from the memory that they share with ROS subscribers. Other topics are subscribed to over
// TCPROS, once for all clients. The node must outlive the server.
package nodegraph
