package bridge

import (
	"context"
	"slices"
	"strings"

	"rsros/msgs/ros2"
	"rsros/ros"
	dds "rsros/ros2"
)

// reconcileServices serves the node's services of std_srvs in ROS 2, and no others. Those of other types are ROS 1's own.
// The caller holds mu.
func (m *Mirror) reconcileServices() {
	there := m.from.Services()
	for s, served := range m.services {
		if !slices.Contains(there, s) {
			served.Close()
			delete(m.services, s)
		}
	}
	for _, s := range there {
		name := m.nameOf(s.Name())
		if m.services[s] != nil || name == "" || !strings.HasPrefix(s.Type().Name, "std_srvs/") {
			continue
		}
		served, err := m.serve(name, s)
		if err != nil {
			m.log.Warn().Str("service", s.Name()).Msg("not served in ROS 2: " + err.Error())
			continue
		}
		m.services[s] = served
	}
}

// serve serves a service of ROS 1 in ROS 2.
func (m *Mirror) serve(name string, s *ros.ServiceServer) (*dds.Service, error) {
	typ := s.Type()
	request, err := ros2.Map(typ.Request.Name, typ.Request.Definition+"\n")
	if err != nil {
		return nil, err
	}
	response, err := ros2.NewEncoder(typ.Response.Name, typ.Response.Definition)
	if err != nil {
		return nil, err
	}
	return m.to.Serve(name, strings.Replace(typ.Name, "/", "/srv/", 1), func(ctx context.Context, in []byte) ([]byte, error) {
		in, _, err := request.Convert(nil, in)
		if err != nil {
			return nil, err
		}
		out, err := s.Handle(ctx, in)
		if err != nil {
			return nil, err
		}
		out, _, err = response.Convert(nil, out)
		return out, err
	})
}
