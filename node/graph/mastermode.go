package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/master"
	"rsros/node/ros"
	"rsros/node/xmlrpc"
	"rsros/program"
)

// Mode says which ROS master a node works with.
type Mode string

// The modes. Auto takes a running master at ROS_MASTER_URI, else starts the
// embedded one there.
const (
	ROS      Mode = "ros"
	Embedded Mode = "embedded"
	Auto     Mode = "auto"
)

// ParseMode reads a mode's word.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case ROS, Embedded, Auto:
		return m, nil
	}
	return "", fmt.Errorf("%w: master %q: want ros, embedded or auto", program.ErrUsage, s)
}

// connect makes sure that conf.MasterURI names a master as mode says, and
// starts the embedded one where that is asked for. The returned function stops
// it; it does nothing if none was started.
func connect(ctx context.Context, mode Mode, conf *ros.Config, log zerolog.Logger) (stop func(), err error) {
	nothing := func() {}
	conf.MasterURI = cmp.Or(conf.MasterURI, ros.DefaultMasterURI)
	switch mode {
	case ROS:
		return nothing, nil // node/ros keeps trying and says so
	case Auto:
		if masterAnswers(ctx, conf.MasterURI) {
			log.Info().Str("uri", conf.MasterURI).Msg("using the running master")
			return nothing, nil
		}
	}
	m, err := StartMaster(ctx, MasterOptions{Address: conf.MasterURI, Host: conf.Host, Log: log})
	if err != nil {
		return nothing, err
	}
	conf.MasterURI = m.URI()
	return func() { _ = m.Close() }, nil
}

// masterAnswers asks the master at uri for its process id.
func masterAnswers(ctx context.Context, uri string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := xmlrpc.Call(ctx, http.DefaultClient, uri, "getPid", "/rs_ros_node")
	return err == nil
}

// MasterOptions are the settings of an embedded master.
type MasterOptions struct {
	// Address is a master URI or host:port; port 0 takes a free one.
	Address string
	Host    string // the name that other machines reach this one by; default the machine's
	Log     zerolog.Logger
}

// Master is an embedded master with its rosout aggregator.
type Master struct {
	master *master.Master
	rosout *rosout
}

// StartMaster starts an embedded master. It refuses where one already answers.
func StartMaster(ctx context.Context, o MasterOptions) (*Master, error) {
	address, err := listenAddress(o.Address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	m, err := master.Start(master.Config{Address: address, Host: o.Host, Log: o.Log.With().Str("component", "master").Logger()})
	if err != nil {
		return nil, errors.Join(program.ErrNoMaster, fmt.Errorf("start the embedded master on %s: %w", address, err))
	}
	out, err := startRosout(ctx, m.URI(), o.Host)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	o.Log.Info().Str("uri", m.URI()).Msg("embedded master started")
	return &Master{m, out}, nil
}

// URI is what ROS_MASTER_URI should be set to.
func (m *Master) URI() string { return m.master.URI() }

// Close ends the aggregator and the master.
func (m *Master) Close() error { return errors.Join(m.rosout.Close(), m.master.Close()) }

// listenAddress turns "http://host:11311/" or "host:11311" into ":11311": the
// master listens on every interface, as rosmaster does.
func listenAddress(address string) (string, error) {
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
	return ":" + port, nil
}
