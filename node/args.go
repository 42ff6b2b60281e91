package node

import "rsros/node/ros"

// GraphConfig is who a node is in the graph: its name, namespace, master,
// address and remaps.
type GraphConfig = ros.Config

// ParseArgs takes the ROS arguments (a:=b, _p:=v, __name:=x, …) and environment
// variables out of a command line; the rest comes back in its order.
func ParseArgs(args, environ []string) (GraphConfig, []string, error) {
	return ros.ParseArgs(args, environ)
}
