package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/program"
	"rsros/program/work"
	"rsros/ros"
	"rsros/ros/master"
	"rsros/ros/rosapi"
)

// Mode selects the ROS master that a node registers with.
type Mode string

// The modes. Auto uses the master at ROS_MASTER_URI if it is running and starts the embedded one there otherwise.
// Private starts one on a free port of loopback, for a node whose users are elsewhere.
const (
	ROS      Mode = "ros"
	Embedded Mode = "embedded"
	Auto     Mode = "auto"
	Private  Mode = "private"
)

// connect sets conf.MasterURI to the master that mode selects, and starts the
// embedded master if mode asks for it. The returned function stops that master.
func connect(ctx context.Context, mode Mode, conf *ros.Config, log zerolog.Logger) (stop func(), err error) {
	nothing := func() {}
	conf.MasterURI = cmp.Or(conf.MasterURI, ros.DefaultMasterURI)
	switch mode {
	case ROS:
		return nothing, nil // ros keeps trying and logs that
	case Private:
		conf.MasterURI, conf.Host = "http://"+net.JoinHostPort(loopback, "0"), loopback
	case Auto:
		if masterAnswers(ctx, conf.MasterURI) {
			log.Info().Str("uri", conf.MasterURI).Msg("using the running master")
			return nothing, nil
		}
	}
	if mode == Private {
		log = log.Level(zerolog.WarnLevel) // nobody else uses it
	}
	m, err := StartMaster(ctx, MasterOptions{Address: conf.MasterURI, Host: conf.Host, Log: log})
	if err != nil {
		return nothing, err
	}
	conf.MasterURI = m.URI()
	if m.local {
		conf.Host = cmp.Or(conf.Host, loopback) // a machine that can't reach the master needn't reach the node
	}
	quit := work.Run(context.WithoutCancel(ctx), func(ctx context.Context) {
		select {
		case <-m.ShutdownAsked():
			_ = m.Close()
		case <-ctx.Done():
		}
	})
	return func() { quit(); _ = m.Close() }, nil
}

func masterAnswers(ctx context.Context, uri string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := rosapi.NewCaller("/rs_ros_node").Call(ctx, uri, "getPid")
	return err == nil
}

// MasterOptions are the settings of an embedded master.
type MasterOptions struct {
	// Address is a master URI or host:port. Only its port is used; port 0 takes a free
	// one. It defaults to ros.DefaultMasterURI.
	Address string
	// Host is the name or address by which other machines reach this one. The master
	// listens on it and on loopback. If it is empty or loopback, it listens only there.
	Host string
	// Listen is the address to listen on instead; "0.0.0.0" or "::" means all.
	Listen string
	Log    zerolog.Logger
}

// Master is an embedded master with its rosout aggregator.
type Master struct {
	*master.Master
	rosout *ros.Node
	local  bool // listens only on loopback
}

const loopback = "127.0.0.1"

// StartMaster starts an embedded master. It fails if its address is in use.
func StartMaster(ctx context.Context, o MasterOptions) (*Master, error) {
	port, err := masterPort(cmp.Or(o.Address, ros.DefaultMasterURI))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	hosts, err := listenHosts(ctx, o.Host, o.Listen, o.Log)
	if err != nil {
		return nil, MasterError{err}
	}
	local := len(hosts) == 1 && hosts[0] == loopback
	conf := master.Config{
		Address: net.JoinHostPort(hosts[0], port), More: hosts[1:], Host: o.Host,
		Log: o.Log.With().Str("component", "master").Logger(),
	}
	if everywhere := hosts[0] == ""; conf.Host == "" && !everywhere && !local {
		conf.Host = hosts[0]
	}
	m, err := master.Start(conf)
	if err != nil {
		return nil, MasterError{explain(ctx, conf.Address, err)}
	}
	rosoutHost := o.Host
	if local {
		rosoutHost = loopback
	}
	out, err := startRosout(ctx, m.URI(), rosoutHost)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	o.Log.Info().Str("uri", m.URI()).Strs("listens on", hosts).Msg("embedded master started")
	return &Master{m, out, local}, nil
}

// MasterError is a program.ErrNoMaster with a text of its own.
type MasterError struct{ error }

// Is makes it a program.ErrNoMaster.
func (MasterError) Is(target error) bool { return target == program.ErrNoMaster }

// explain says why a master doesn't start on an address.
func explain(ctx context.Context, address string, err error) error {
	if uri := "http://" + address + "/"; masterAnswers(ctx, uri) {
		return fmt.Errorf("a ROS master already runs at %s: use it, with --master ros, or take another port with ROS_MASTER_URI or master --port", uri)
	}
	return fmt.Errorf("start the embedded master on %s: %w; ROS_MASTER_URI or master --port takes another port",
		address, err)
}

// Close stops the aggregator and the master.
func (m *Master) Close() error { return errors.Join(m.rosout.Close(), m.Master.Close()) }

// masterPort returns the port of "http://host:11311/" or "host:11311".
func masterPort(address string) (string, error) {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Host
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("master address %q: %w", address, err)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("master address %q: port %q is not a number", address, port)
	}
	return port, nil
}

// listenHosts returns the addresses to listen on; a single "" means all.
func listenHosts(ctx context.Context, host, listen string, log zerolog.Logger) ([]string, error) {
	if ip := net.ParseIP(listen); ip != nil && ip.IsUnspecified() {
		return []string{""}, nil
	}
	host = cmp.Or(listen, host)
	if host == "" {
		return []string{loopback}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil && listen != "" {
		return nil, fmt.Errorf("--listen %s: %w", listen, err)
	}
	if err != nil {
		log.Warn().Err(err).Str("host", host).Msg("the master listens on all addresses: its host's address isn't known")
		return []string{""}, nil
	}
	// Loopback always: programs here look for the master at localhost.
	hosts, named := []string{}, host == "localhost"
	for _, a := range addresses {
		ip := net.ParseIP(a)
		switch {
		case ip == nil || ip.IsLoopback():
			named = named || a == host
		case ownAddress(ip):
			hosts = append(hosts, a)
		}
	}
	if len(hosts) == 0 && !named {
		// Debian's /etc/hosts maps this machine's name to 127.0.1.1, and with address
		// translation the host isn't an address of this machine.
		log.Info().Str("host", host).Msg("the master listens on all addresses: its host isn't an address of this machine")
		return []string{""}, nil
	}
	return append(hosts, loopback), nil
}

func ownAddress(ip net.IP) bool {
	addresses, _ := net.InterfaceAddrs()
	return slices.ContainsFunc(addresses, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}

// startRosout starts a node that republishes every node's /rosout messages on
// /rosout_agg, as the stock rosout node does, for rqt_console and `rostopic echo`.
func startRosout(ctx context.Context, masterURI, host string) (*ros.Node, error) {
	n, err := ros.NewNode(ctx,
		ros.Config{Name: "rosout", MasterURI: masterURI, Host: host, NoRosout: true, Log: zerolog.Nop()})
	if err != nil {
		return nil, err
	}
	t := msgs.MustType("rosgraph_msgs/Log")
	pub, err := n.Advertise(ros.PublisherOptions{Topic: "/rosout_agg", Type: t, Queue: 1000})
	if err == nil {
		_, err = n.Subscribe(ros.SubscriberOptions{Topic: "/rosout", Type: t}, func(r ros.Received) {
			pub.Publish(msgs.Raw{Body: r.Data, Owner: r.Retain()})
		})
	}
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}
