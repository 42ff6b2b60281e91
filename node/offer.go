package node

import (
	"context"
	"fmt"

	"rsros/msgs"
	"rsros/node/ros"
)

// service is one service that a node offers.
type service struct {
	name, typ string
	serve     func(req []byte) (msgs.Message, error) // a nil message is an empty response
}

// newService is a service that serve answers; a nil message is an empty response.
func newService(name, typ string, serve func(req []byte) (msgs.Message, error)) service {
	return service{name, typ, serve}
}

// trigger is a std_srvs/Trigger: it answers what do says, or its error as a
// refusal.
func trigger(name string, do func() (string, error)) service {
	return service{name, "std_srvs/Trigger", func([]byte) (msgs.Message, error) { return result(do()), nil }}
}

// setBool is a std_srvs/SetBool, which answers likewise.
func setBool(name string, do func(bool) (string, error)) service {
	return service{name, "std_srvs/SetBool", func(req []byte) (msgs.Message, error) {
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

// offered are running services.
type offered []*ros.ServiceServer

func (o offered) close() {
	for _, s := range o {
		s.Close()
	}
}

// offer advertises services; if one fails, none is left.
func offer(n *ros.Node, list ...service) (offered, error) {
	var out offered
	for _, s := range list {
		server, err := n.AdvertiseService(s.name, msgs.MustService(s.typ), func(_ context.Context, req []byte) ([]byte, error) {
			m, err := s.serve(req)
			if err != nil || m == nil {
				return nil, err
			}
			return msgs.Marshal(m), nil
		})
		if err != nil {
			out.close()
			return nil, fmt.Errorf("offer %s: %w", s.name, err)
		}
		out = append(out, server)
	}
	return out, nil
}
