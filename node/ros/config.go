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

// Config says who a node is and where its graph is. NewNode copies it and reads
// nothing from the environment; ParseArgs does that.
type Config struct {
	Name      string // base name without '/'; must be there
	Namespace string // default "/"
	Anonymous bool   // make the name unique by process and time

	MasterURI string // default DefaultMasterURI
	Host      string // what others reach this node at; default: found out, see host.Advertised

	Remaps        map[string]string // names as given, resolved by NewNode
	PrivateParams map[string]any    // set on the master below the node's name

	LogFile string // from __log; for the program, the node itself writes no file

	// MaxMessage bounds a received message, in bytes; default 1 GiB. Larger ones are
	// skipped (see SubscriberCounts.TooLarge). Memory grows
	// with the bytes that arrive, not with what the peer claims.
	MaxMessage int64

	// Log takes what the node has to say about itself. If it writes into Rosout,
	// pass that, too; otherwise the node makes one for Node.Log.
	Log    zerolog.Logger
	Rosout *roslog.Writer
	// NoRosout: the node neither publishes /rosout nor calls OnLog, as the node that
	// gathers it doesn't.
	NoRosout bool
	// OnLog also gets every line that goes to /rosout. It must not block.
	OnLog func(*msgs.Log)
}

// ErrConfig is wrapped by NewNode's error if a name, a remap or an address of the
// Config makes no sense.
var ErrConfig = errors.New("wrong configuration")

// ErrClosed is what methods return once the node or the object was closed.
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
	// The form that rosgraph compares with ends in a slash.
	c.MasterURI = strings.TrimRight(c.MasterURI, "/") + "/"
	if c.MaxMessage <= 0 {
		c.MaxMessage = defaultMaxMessage
	}
	if c.Anonymous && c.Name != "" {
		c.Name = fmt.Sprintf("%s_%d_%d", c.Name, os.Getpid(), time.Now().UnixMilli())
	}
	return c, nil
}
