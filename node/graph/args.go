package graph

import (
	"github.com/rs/zerolog"

	"rsros/node/ros"
	"rsros/node/ros/roslog"
)

// Config is who a node is in the graph: its name, namespace, master,
// address and remaps.
type Config = ros.Config

// ParseArgs takes the ROS arguments (a:=b, _p:=v, __name:=x, …) and environment
// variables out of a command line; the rest comes back in its order. The program's
// logger must write into the config's Rosout, too, and have it as a hook.
func ParseArgs(args, environ []string) (Config, []string, error) {
	conf, rest, err := ros.ParseArgs(args, environ)
	conf.Rosout = roslog.New(zerolog.InfoLevel)
	return conf, rest, err
}
