package bridge

import (
	"context"
	"slices"
	"strings"

	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/ros"
	dds "rsros/ros2"
)

// reconcileServices serves the node's services of std_srvs in ROS 2, and no others. Those of other types are ROS 1's
// own. The caller holds mu.
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
		served, err := serveInROS2(m.to, name, s.Type(), s.Handle)
		if err != nil {
			m.log.Warn().Str("service", s.Name()).Msg("not served in ROS 2: " + err.Error())
			continue
		}
		m.services[s] = served
	}
}

// call answers a request of a service.
type call func(ctx context.Context, request []byte) (response []byte, err error)

// serveInROS2 serves what has requests and responses of ROS 1.
func serveInROS2(to *dds.Node, name string, typ msgs.Service, answer call) (*dds.Service, error) {
	request, err := ros2.Map(typ.Request.Name, typ.Request.Definition+"\n")
	if err != nil {
		return nil, err
	}
	response, err := ros2.NewEncoder(typ.Response.Name, typ.Response.Definition)
	if err != nil {
		return nil, err
	}
	return to.Serve(name, serviceInROS2(typ), dds.Handler(between(request, answer, response)))
}

// serveInROS1 serves what has requests and responses of ROS 2.
func serveInROS1(to *ros.Node, name string, typ msgs.Service, answer call) (*ros.ServiceServer, error) {
	request, err := ros2.NewEncoder(typ.Request.Name, typ.Request.Definition)
	if err != nil {
		return nil, err
	}
	response, err := ros2.Map(typ.Response.Name, typ.Response.Definition+"\n")
	if err != nil {
		return nil, err
	}
	return to.AdvertiseService(name, typ, ros.ServiceHandler(between(request, answer, response)))
}

// between converts requests and responses.
func between(request converter, answer call, response converter) call {
	return func(ctx context.Context, in []byte) ([]byte, error) {
		in, _, err := request.Convert(nil, in)
		if err != nil {
			return nil, err
		}
		out, err := answer(ctx, in)
		if err != nil {
			return nil, err
		}
		out, _, err = response.Convert(nil, out)
		return out, err
	}
}

func serviceInROS2(typ msgs.Service) string { return strings.Replace(typ.Name, "/", "/srv/", 1) }
