package graph

import (
	"github.com/rs/zerolog"

	"rsros/node/ros"
	"rsros/node/ros/roslog"
)

// Config is a node's identity in the graph: its name, namespace, master, address
// and remaps.
type Config = ros.Config

// ParseArgs reads the ROS arguments (a:=b, _p:=v, __name:=x, …) of a command line
// and the ROS environment variables. It returns the remaining arguments in order.
// The program's logger must write to the config's Rosout as well, and use it as a
// hook.
func ParseArgs(args, environ []string) (Config, []string, error) {
	conf, rest, err := ros.ParseArgs(args, environ)
	conf.Rosout = roslog.New(zerolog.InfoLevel)
	return conf, rest, err
}
