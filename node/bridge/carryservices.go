package bridge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/msgs"
)

// served is a service that is served in the other ROS.
type served struct {
	typ   msgs.Service
	where string
	close func()
}

// carryServices serves the services of std_srvs that other nodes have in one ROS in the other one, unless it has them.
func (b *carrier) carryServices() {
	there := map[string]msgs.Service{}
	serve := func(where, name, typ string, open func(name string, typ msgs.Service) (func(), error)) {
		service, known := msgs.LookupService(typ)
		if !strings.HasPrefix(typ, "std_srvs/") || !known {
			if !slices.ContainsFunc(ownServices, func(p string) bool { return strings.HasPrefix(typ, p) }) {
				b.refuse("service", name, where, fmt.Errorf("its type is %s: want one of std_srvs", typ))
			}
			return
		}
		key := where + " " + name
		there[key] = service
		if old := b.services[key]; old != nil && old.typ.MD5 == service.MD5 {
			return
		}
		if !b.mayBegin("service", name, where) {
			return
		}
		end, err := open(name, service)
		b.refuse("service", name, where, err)
		if err == nil {
			b.services[key] = &served{service, where, end}
			b.log.Info().Str("service", name).Str("type", typ).Msg("carried " + where)
		}
	}
	inROS1, inROS2, brought := b.providedInROS1(), map[string]string{}, map[string]bool{}
	for _, e := range b.ros2.Endpoints {
		switch id := markOf(&e); {
		case !e.Server || !b.wanted(e.Topic):
		case id == "":
			inROS2[e.Topic] = strings.Replace(e.Type, "/srv/", "/", 1)
		case b.others[id]:
			brought[e.Topic] = true
			b.leaveToOther("service", e.Topic, "to ROS 2")
		}
	}
	for name, typ := range inROS1 {
		if to := allowed(name); inROS2[to] == "" && !brought[to] {
			serve("to ROS 2", name, typ, b.serveInROS2)
		}
	}
	for name, typ := range inROS2 {
		if inROS1[name] == "" {
			serve("to ROS 1", name, typ, b.serveInROS1)
		}
	}
	for key, s := range b.services {
		if there[key].MD5 != s.typ.MD5 {
			s.close()
			delete(b.services, key)
		}
	}
}

// ownServices are types of services that each ROS has itself.
var ownServices = []string{
	"roscpp/", "dynamic_reconfigure/", "nodelet/", "rcl_interfaces/", "type_description_interfaces/",
}

// providedInROS1 returns the types of services of other nodes than bridges, as far as they have answered.
func (b *carrier) providedInROS1() map[string]string {
	list := map[string]string{}
	for name, nodes := range b.ros1.Providers {
		uri := b.ros1.Addresses[nodes[0]]
		if nodes[0] == b.one.Name() || !b.wanted(name) {
			continue
		}
		if p, _, ok := b.publications.Get(endpoint{uri, "/rosout"}); !ok || p.Header[mark] != "" {
			continue
		}
		if typ, err, ok := b.providers.Get(endpoint{uri, name}); ok && err == nil {
			list[name] = typ
		}
	}
	return list
}

func (b *carrier) serveInROS2(name string, typ msgs.Service) (func(), error) {
	s, err := serveInROS2(b.two, allowed(name), typ, func(ctx context.Context, request []byte) ([]byte, error) {
		return b.one.CallService(ctx, name, typ, request)
	})
	if err != nil {
		return nil, err
	}
	return s.Close, nil
}

// serviceTime is how long a service of ROS 2 may take. It doesn't tell when it is gone.
const serviceTime = time.Minute

func (b *carrier) serveInROS1(name string, typ msgs.Service) (func(), error) {
	client, err := b.two.NewClient(name, serviceInROS2(typ))
	if err != nil {
		return nil, err
	}
	s, err := serveInROS1(b.one.Node, name, typ, func(ctx context.Context, request []byte) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, serviceTime)
		defer cancel()
		return client.Call(ctx, request)
	})
	if err != nil {
		client.Close()
		return nil, err
	}
	return func() { s.Close(); client.Close() }, nil
}
