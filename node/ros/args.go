package ros

import (
	"fmt"
	"strings"

	"rsros/node/ros/names"
	"rsros/node/ros/param"
)

// DefaultMasterURI is the master's address if Config has none.
const DefaultMasterURI = "http://localhost:11311"

// ParseArgs extracts the ROS parts of a command line and an environment:
//
//	from:=to       remap a name
//	_param:=yaml   set the private parameter ~param
//	__name:=x      node name         __ns:=/y        namespace
//	__master:=uri  master            __log:=file     log file
//	__ip:=a  __hostname:=h           the address that this node advertises
//	ROS_MASTER_URI ROS_IP ROS_HOSTNAME ROS_NAMESPACE
//
// An argument takes precedence over the environment. The remaining arguments are
// returned in order. NewNode doesn't read the environment, so fields that a caller
// sets in the Config after ParseArgs take precedence over both.
func ParseArgs(args, environ []string) (cfg Config, rest []string, err error) {
	cfg = configFromEnviron(environ)
	cfg.Remaps = make(map[string]string)
	cfg.PrivateParams = make(map[string]any)
	special := make(map[string]string)
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, ":=")
		switch {
		case !ok:
			rest = append(rest, arg)
		case strings.HasPrefix(name, "__"):
			special[name] = value
		case strings.HasPrefix(name, "_"):
			if err := privateParam(cfg.PrivateParams, name[1:], value); err != nil {
				return cfg, nil, fmt.Errorf("argument %q: %w", arg, err)
			}
		case name == "" || value == "":
			return cfg, nil, fmt.Errorf("argument %q: a remap needs a name on both sides", arg)
		default:
			if err := checkRemap(name, value); err != nil {
				return cfg, nil, fmt.Errorf("argument %q: %w", arg, err)
			}
			cfg.Remaps[name] = value
		}
	}
	return cfg, rest, applySpecial(&cfg, special)
}

func checkRemap(from, to string) error {
	if err := names.Check(from); err != nil {
		return err
	}
	return names.Check(to)
}

func configFromEnviron(environ []string) Config {
	env := make(map[string]string)
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok && v != "" {
			env[k] = v
		}
	}
	cfg := Config{Namespace: env["ROS_NAMESPACE"], MasterURI: env["ROS_MASTER_URI"], Host: env["ROS_HOSTNAME"]}
	if cfg.Host == "" {
		cfg.Host = env["ROS_IP"]
	}
	return cfg
}

// applySpecial applies the double-underscore arguments. It ignores unknown ones,
// as roscpp does.
func applySpecial(cfg *Config, special map[string]string) error {
	set := func(dst *string, keys ...string) {
		for _, k := range keys {
			if v := special[k]; v != "" {
				*dst = v
			}
		}
	}
	set(&cfg.Name, "__name")
	set(&cfg.Namespace, "__ns")
	set(&cfg.MasterURI, "__master")
	set(&cfg.Host, "__ip", "__hostname")
	set(&cfg.LogFile, "__log")
	if name, ok := special["__name"]; ok {
		if err := names.CheckBase(name); err != nil {
			return fmt.Errorf("argument %q: %w", "__name:="+name, err)
		}
	}
	return nil
}

// privateParam adds the value of one _name:=text argument to params.
func privateParam(params map[string]any, name, text string) error {
	if name == "" {
		return &names.Error{Name: name, Reason: "a private parameter must have a name"}
	}
	if err := names.Check(name); err != nil {
		return err
	}
	value, err := param.FromYAML(text)
	if err != nil {
		return err
	}
	params[name] = value
	return nil
}
