package graph

import (
	"context"
	"fmt"

	"rsros/msgs"
	"rsros/ros"
)

// Service is a service for Offer.
type Service struct {
	Name, Type string
	// Serve answers a request; nil is an empty response. ctx ends when the node is closed.
	Serve func(ctx context.Context, req []byte) (msgs.Message, error)
}

// Trigger returns a std_srvs/Trigger service, whose response has do's text or error.
func Trigger(name string, do func(context.Context) (string, error)) Service {
	return Service{name, "std_srvs/Trigger",
		func(ctx context.Context, _ []byte) (msgs.Message, error) { return result(do(ctx)), nil }}
}

// SetBool returns a std_srvs/SetBool service, which responds as Trigger's does.
func SetBool(name string, do func(context.Context, bool) (string, error)) Service {
	return Service{name, "std_srvs/SetBool", func(ctx context.Context, req []byte) (msgs.Message, error) {
		var m msgs.Bool
		if err := msgs.Unmarshal(req, &m); err != nil {
			return nil, err
		}
		return result(do(ctx, m.Data)), nil
	}}
}

func result(text string, err error) *msgs.Result {
	if err != nil {
		return &msgs.Result{Success: false, Message: err.Error()}
	}
	return &msgs.Result{Success: true, Message: text}
}

// Services are services that a node offers.
type Services []*ros.ServiceServer

// Close stops all of them.
func (o Services) Close() {
	for _, s := range o {
		s.Close()
	}
}

// Offer advertises services. One that another node provides, such as those below a camera's name, is left to that node
// until it leaves. If one fails, the others are stopped again.
func Offer(n *ros.Node, list ...Service) (Services, error) {
	var out Services
	for _, s := range list {
		server, err := n.AdvertiseService(s.Name, msgs.MustService(s.Type),
			func(ctx context.Context, req []byte) ([]byte, error) {
				m, err := s.Serve(ctx, req)
				if err != nil || m == nil {
					return nil, err
				}
				return msgs.Marshal(m), nil
			})
		if err != nil {
			out.Close()
			return nil, fmt.Errorf("offer %s: %w", s.Name, err)
		}
		out = append(out, server)
	}
	return out, nil
}
