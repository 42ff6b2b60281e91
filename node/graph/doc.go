// Package graph is how the rooms of node meet a ROS graph: the arguments of a
// command line, the master (a running one or an embedded one of ours), and
// services offered to stock tools.
//
// It may use node/ros, node/master and node/xmlrpc, and knows no camera and no
// bag. A Master owns its goroutines; Close waits for them. Services run on the
// node's goroutines.
package graph
