package ros

import (
	"fmt"
	"maps"
	"strings"

	"github.com/goccy/go-yaml"
)

// DefaultMasterURI is where a master is looked for when nobody says otherwise.
const DefaultMasterURI = "http://localhost:11311"

// ParseArgs takes the ROS parts out of a command line and an environment:
//
//	from:=to       remap a name
//	_param:=yaml   set the private parameter ~param
//	__name:=x      node name         __ns:=/y        namespace
//	__master:=uri  master            __log:=file     log file
//	__ip:=a  __hostname:=h           the address that others reach this node at
//	ROS_MASTER_URI ROS_IP ROS_HOSTNAME ROS_NAMESPACE
//
// An argument wins over the environment. The remaining arguments come back in
// their order. NewNode reads no environment, so what a caller writes into the
// Config after ParseArgs wins over both.
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
	if err := CheckName(from); err != nil {
		return err
	}
	return CheckName(to)
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

// applySpecial sets what the double-underscore arguments say; unknown ones are
// ignored, as roscpp does.
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
		if err := checkBaseName(name); err != nil {
			return fmt.Errorf("argument %q: %w", "__name:="+name, err)
		}
	}
	return nil
}

// privateParam puts the value of one _name:=text argument into params.
func privateParam(params map[string]any, name, text string) error {
	if name == "" {
		return &NameError{name, "a private parameter must have a name"}
	}
	if err := CheckName(name); err != nil {
		return err
	}
	value, err := yamlValue(text)
	if err != nil {
		return err
	}
	params[name] = value
	return nil
}

// yamlValue reads one YAML value into the types that XML-RPC knows.
func yamlValue(text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return nil, fmt.Errorf("not YAML: %s", strings.SplitN(err.Error(), "\n", 2)[0])
	}
	return paramValue(v)
}

// paramValue converts a value to the types of the parameter server: bool, int
// (32 bits), float64, string, []any, map[string]any.
func paramValue(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case bool, string, float64:
		return v, nil
	case float32:
		return float64(v), nil
	case int:
		return paramInt(int64(v))
	case int32:
		return int(v), nil
	case int64:
		return paramInt(v)
	case uint64:
		return paramInt(int64(min(v, 1<<62)))
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var err error
			if out[i], err = paramValue(v[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := maps.Clone(v)
		for k := range out {
			var err error
			if out[k], err = paramValue(v[k]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("a parameter can't be of type %T", v)
}

func paramInt(v int64) (any, error) {
	if v != int64(int32(v)) {
		return nil, fmt.Errorf("%d doesn't fit the 32 bits of a parameter", v)
	}
	return int(v), nil
}
