package ros

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros/internal/wire"
	"rsros/ros/names"
)

// Config describes a node and its graph. NewNode copies it and doesn't read the environment; ParseArgs does.
type Config struct {
	Name      string // base name without '/'; required
	Namespace string // default "/"
	Anonymous bool   // append the process id and the time to the name

	MasterURI string // default DefaultMasterURI
	Host      string // address that others use to reach this node; default: see advertisedHost

	Remaps        map[string]string // names as given, resolved by NewNode
	PrivateParams map[string]any    // set on the master below the node's name

	// Fields are added to the connection headers that publishers and services answer with.
	Fields Header

	LogFile string // from __log; for the program: the node writes no file

	// MaxMessage is the size limit of a received message in bytes; default 1 GiB. Larger ones are skipped (see
	// SubscriberCounts.TooLarge). Memory grows with the bytes that arrive, not with the length that the peer claims.
	MaxMessage int64

	// Log is the node's logger. If it writes to a LogWriter, pass that as Rosout;
	// otherwise the node creates one for Node.Log.
	Log    zerolog.Logger
	Rosout *LogWriter
	// NoRosout disables publishing to /rosout and OnLog, for the node that aggregates /rosout.
	NoRosout bool
	// OnLog is called for every line sent to /rosout. It must not block.
	OnLog func(*msgs.Log)

	handshake time.Duration // of those that connect; tests shorten it
}

const defaultMaxMessage = 1 << 30

// checked returns the config with its defaults filled in.
func (c Config) checked() (Config, error) {
	c.MasterURI = cmp.Or(c.MasterURI, DefaultMasterURI)
	u, err := url.Parse(c.MasterURI)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "" {
		return c, fmt.Errorf("%w: ROS_MASTER_URI (or __master) %q: want http://HOST:PORT, such as http://robot:11311",
			ErrConfig, c.MasterURI)
	}
	// rosgraph compares URIs that end in a slash.
	c.MasterURI = strings.TrimRight(c.MasterURI, "/") + "/"
	c.handshake = cmp.Or(c.handshake, wire.HandshakeTime)
	if c.MaxMessage <= 0 {
		c.MaxMessage = defaultMaxMessage
	}
	if c.Anonymous && c.Name != "" {
		c.Name = fmt.Sprintf("%s_%d_%d", c.Name, os.Getpid(), time.Now().UnixMilli())
	}
	return c, nil
}

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
// An argument takes precedence over the environment. Other arguments that begin with two underscores are ignored, as
// roscpp does, and the remaining ones are returned in order. NewNode doesn't read the environment, so fields that a
// caller sets in the Config after ParseArgs take precedence over both.
func ParseArgs(args, environ []string) (cfg Config, rest []string, err error) {
	cfg = Config{Remaps: make(map[string]string), PrivateParams: make(map[string]any)}
	env, special := make(map[string]string), make(map[string]string)
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
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
				return cfg, nil, fmt.Errorf(
					"argument %q would rename a topic, but %q can't be one; to set a private parameter, begin with _: _%s",
					arg, err.Name, arg)
			}
			if other, twice := cfg.Remaps[name]; twice && other != value {
				return cfg, nil, fmt.Errorf("argument %q: %s is already remapped, to %s", arg, name, other)
			}
			cfg.Remaps[name] = value
		}
	}
	cfg.Name, cfg.LogFile = special["__name"], special["__log"]
	cfg.Namespace = cmp.Or(special["__ns"], env["ROS_NAMESPACE"])
	cfg.MasterURI = cmp.Or(special["__master"], env["ROS_MASTER_URI"])
	cfg.Host = cmp.Or(special["__hostname"], special["__ip"], env["ROS_HOSTNAME"], env["ROS_IP"])
	if _, given := special["__name"]; given {
		if err := names.CheckBase(cfg.Name); err != nil {
			return cfg, nil, fmt.Errorf("argument %q: %w", "__name:="+cfg.Name, err)
		}
	}
	return cfg, rest, nil
}

func checkRemap(from, to string) *names.Error {
	err, _ := errors.AsType[*names.Error](cmp.Or(names.Check(from), names.Check(to)))
	return err
}

// privateParam adds the value of one _name:=text argument to params.
func privateParam(params map[string]any, name, text string) error {
	if name == "" {
		return &names.Error{Name: name, Reason: "a private parameter must have a name"}
	}
	if err := names.Check(name); err != nil {
		return err
	}
	value, err := parseParam(text)
	if err != nil {
		return err
	}
	params[name] = value
	return nil
}
