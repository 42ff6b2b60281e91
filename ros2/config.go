package ros2

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/rs/zerolog"

	"rsros/ros2/internal/dds"
)

// Config describes a node and its graph. Join copies it and doesn't read the environment; FromEnvironment does.
type Config struct {
	Name      string // without '/'; required
	Namespace string // default "/"
	Enclave   string // default "/"
	UserData  string // "key=value;" pairs that the node's publishers, subscribers and services have in the graph

	Domain int   // 0 to 232
	Range  Range // how far others are looked for
	// Peers are addresses of other machines, which are looked for without multicast.
	Peers []netip.Addr

	Log zerolog.Logger
}

// Range is how far a node looks for others.
type Range = dds.Range

// Ranges, as ROS_AUTOMATIC_DISCOVERY_RANGE has them.
const (
	Subnet    = dds.Subnet
	Localhost = dds.Localhost
	Off       = dds.Off
)

// ErrClosed is returned by methods after the node or the object was closed.
var ErrClosed = dds.ErrClosed

// FromEnvironment returns what environment variables say: ROS_DOMAIN_ID, ROS_AUTOMATIC_DISCOVERY_RANGE,
// ROS_STATIC_PEERS and ROS_LOCALHOST_ONLY. unsupported lists what is set but isn't followed, as sentences. Names of
// peers are resolved.
func FromEnvironment(ctx context.Context, getenv func(string) string) (c Config, unsupported []string, err error) {
	if v := getenv("ROS_DOMAIN_ID"); v != "" {
		if c.Domain, err = strconv.Atoi(v); err != nil || c.Domain < 0 || c.Domain > 232 {
			return c, nil, fmt.Errorf("ROS_DOMAIN_ID %q: want a number from 0 to 232", v)
		}
	}
	if getenv("ROS_LOCALHOST_ONLY") == "1" {
		c.Range = Localhost
	} else {
		switch v := getenv("ROS_AUTOMATIC_DISCOVERY_RANGE"); strings.ToUpper(v) {
		case "", "SUBNET", "SYSTEM_DEFAULT":
		case "LOCALHOST":
			c.Range = Localhost
		case "OFF":
			c.Range = Off
		default:
			return c, nil, fmt.Errorf("ROS_AUTOMATIC_DISCOVERY_RANGE %q: want SUBNET, LOCALHOST or OFF", v)
		}
		for _, name := range strings.FieldsFunc(getenv("ROS_STATIC_PEERS"), func(r rune) bool { return r == ';' }) {
			list, err := (&net.Resolver{}).LookupNetIP(ctx, "ip4", strings.TrimSpace(name))
			if err != nil {
				return c, nil, fmt.Errorf("ROS_STATIC_PEERS: %q: %w", name, err)
			}
			for _, a := range list {
				c.Peers = append(c.Peers, a.Unmap())
			}
		}
	}
	for _, v := range []struct{ name, why string }{
		{"ROS_DISCOVERY_SERVER", "a discovery server isn't supported"},
		{"ROS_SUPER_CLIENT", "a discovery server isn't supported"},
		{"CYCLONEDDS_URI", "profiles of other implementations aren't read"},
		{"FASTRTPS_DEFAULT_PROFILES_FILE", "profiles of other implementations aren't read"},
		{"FASTDDS_DEFAULT_PROFILES_FILE", "profiles of other implementations aren't read"},
	} {
		if getenv(v.name) != "" {
			unsupported = append(unsupported, v.name+" is set, but "+v.why)
		}
	}
	if strings.EqualFold(getenv("ROS_SECURITY_ENABLE"), "true") {
		unsupported = append(unsupported,
			"ROS_SECURITY_ENABLE is set, but security (SROS2) isn't supported: secure nodes ignore this one")
	}
	if v := getenv("RMW_IMPLEMENTATION"); v == "rmw_zenoh_cpp" || v == "rmw_connextdds" {
		unsupported = append(unsupported, "RMW_IMPLEMENTATION is "+v+
			", but nodes of it aren't understood: want rmw_fastrtps_cpp or rmw_cyclonedds_cpp")
	}
	return c, unsupported, nil
}
