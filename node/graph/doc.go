// Package graph joins a ROS graph for the other packages of node: it reads the ROS
// arguments of a command line, finds the master or starts an embedded one, and
// offers services to stock tools.
//
// It may use node/ros, node/master and node/xmlrpc. It knows nothing of cameras or
// bags. A Master and a Node own their goroutines, and Close waits for them.
// Services run on the node's goroutines.
package graph
