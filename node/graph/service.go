package graph

import (
	"context"
	"fmt"

	"rsros/msgs"
	"rsros/node/ros"
)

// Service is one service that a node offers.
type Service struct {
	name, typ string
	serve     func(req []byte) (msgs.Message, error) // a nil message is an empty response
}

// NewService is a service that serve answers; a nil message is an empty response.
func NewService(name, typ string, serve func(req []byte) (msgs.Message, error)) Service {
	return Service{name, typ, serve}
}

// Trigger is a std_srvs/Trigger: it answers what do says, or its error as a
// refusal.
func Trigger(name string, do func() (string, error)) Service {
	return Service{name, "std_srvs/Trigger", func([]byte) (msgs.Message, error) { return result(do()), nil }}
}

// SetBool is a std_srvs/SetBool, which answers likewise.
func SetBool(name string, do func(bool) (string, error)) Service {
	return Service{name, "std_srvs/SetBool", func(req []byte) (msgs.Message, error) {
		var m msgs.Bool
		if err := msgs.Unmarshal(req, &m); err != nil {
			return nil, err
		}
		return result(do(m.Data)), nil
	}}
}

func result(text string, err error) *msgs.Result {
	if err != nil {
		return &msgs.Result{Success: false, Message: err.Error()}
	}
	return &msgs.Result{Success: true, Message: text}
}

// Services are running services.
type Services []*ros.ServiceServer

// Close ends all of them.
func (o Services) Close() {
	for _, s := range o {
		s.Close()
	}
}

// Offer advertises services; if one fails, none is left.
func Offer(n *ros.Node, list ...Service) (Services, error) {
	var out Services
	for _, s := range list {
		server, err := n.AdvertiseService(s.name, msgs.MustService(s.typ), func(_ context.Context, req []byte) ([]byte, error) {
			m, err := s.serve(req)
			if err != nil || m == nil {
				return nil, err
			}
			return msgs.Marshal(m), nil
		})
		if err != nil {
			out.Close()
			return nil, fmt.Errorf("offer %s: %w", s.name, err)
		}
		out = append(out, server)
	}
	return out, nil
}
