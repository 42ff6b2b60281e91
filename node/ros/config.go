package ros

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/ros/rosapi"
	"rsros/node/ros/roslog"
)

// Config describes a node and its graph. NewNode copies it and doesn't read the
// environment; ParseArgs does.
type Config struct {
	Name      string // base name without '/'; required
	Namespace string // default "/"
	Anonymous bool   // append the process id and the time to the name

	MasterURI string // default DefaultMasterURI
	Host      string // address that others use to reach this node; default: see host.Advertised

	Remaps        map[string]string // names as given, resolved by NewNode
	PrivateParams map[string]any    // set on the master below the node's name

	LogFile string // from __log; for the program: the node writes no file

	// MaxMessage is the size limit of a received message in bytes; default 1 GiB.
	// Larger ones are skipped (see SubscriberCounts.TooLarge). Memory grows with the
	// bytes that arrive, not with the length that the peer claims.
	MaxMessage int64

	// Log is the node's logger. If it writes to a roslog.Writer, pass that as Rosout;
	// otherwise the node creates one for Node.Log.
	Log    zerolog.Logger
	Rosout *roslog.Writer
	// NoRosout disables publishing to /rosout and OnLog, for the node that aggregates
	// /rosout.
	NoRosout bool
	// OnLog is called for every line sent to /rosout. It must not block.
	OnLog func(*msgs.Log)
}

// ErrConfig is wrapped by NewNode's error if a name, a remap or an address in the
// Config is invalid.
var ErrConfig = errors.New("wrong configuration")

// ErrClosed is returned by methods after the node or the object was closed.
var ErrClosed = rosapi.ErrClosed

const defaultMaxMessage = 1 << 30

// checked returns the config with its defaults filled in.
func (c Config) checked() (Config, error) {
	if c.MasterURI == "" {
		c.MasterURI = DefaultMasterURI
	}
	u, err := url.Parse(c.MasterURI)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "" {
		return c, fmt.Errorf("%w: master URI %q: want http://host:port", ErrConfig, c.MasterURI)
	}
	// rosgraph compares URIs that end in a slash.
	c.MasterURI = strings.TrimRight(c.MasterURI, "/") + "/"
	if c.MaxMessage <= 0 {
		c.MaxMessage = defaultMaxMessage
	}
	if c.Anonymous && c.Name != "" {
		c.Name = fmt.Sprintf("%s_%d_%d", c.Name, os.Getpid(), time.Now().UnixMilli())
	}
	return c, nil
}
