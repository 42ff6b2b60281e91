package graph

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/ros"
)

// rosout republishes every node's /rosout messages on /rosout_agg, as the stock
// rosout node does, for rqt_console and `rostopic echo`.
type rosout struct {
	node *ros.Node
	pub  *ros.Publisher
}

func startRosout(ctx context.Context, masterURI, host string) (*rosout, error) {
	n, err := ros.NewNode(ctx, ros.Config{Name: "rosout", MasterURI: masterURI, Host: host, NoRosout: true, Log: zerolog.Nop()})
	if err != nil {
		return nil, err
	}
	t := msgs.MustType("rosgraph_msgs/Log")
	pub, err := n.Advertise(ros.PublisherOptions{Topic: "/rosout_agg", Type: t, Queue: 1000})
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	_, err = n.Subscribe(ros.SubscriberOptions{Topic: "/rosout", Type: t}, func(r ros.Received) {
		pub.Publish(msgs.Raw{Body: r.Data, Owner: r.Retain()})
	})
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return &rosout{n, pub}, nil
}

// Close leaves the graph.
func (r *rosout) Close() error { return r.node.Close() }
