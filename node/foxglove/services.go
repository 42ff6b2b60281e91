package foxglove

import (
	"context"
	"slices"
	"strings"

	"rsros/node/websocket"
)

// services are all that were ever advertised, by numbers that stay the same. The
// server's mu guards them.
type services struct {
	ids  map[Service]uint32
	live map[uint32]Service
}

func newServices() services {
	return services{ids: make(map[Service]uint32), live: make(map[uint32]Service)}
}

// update replaces the services and informs the clients that may
// call them.
func (sv *services) update(list []Service, all []*client) {
	now := make(map[uint32]Service)
	var added, gone []uint32
	for _, s := range list {
		id := sv.ids[s]
		if id == 0 {
			id = uint32(len(sv.ids) + 1)
			sv.ids[s] = id
		}
		if _, had := sv.live[id]; !had {
			added = append(added, id)
		}
		now[id] = s
	}
	for id := range sv.live {
		if _, has := now[id]; !has {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	sv.live = now
	for _, c := range all {
		if c.control && len(gone) > 0 {
			c.send(unadvertiseServices{"unadvertiseServices", gone})
		}
		sv.advertise(c, added)
	}
}

func (sv *services) introduce(c *client) {
	var all []uint32
	for id := range sv.live {
		all = append(all, id)
	}
	sv.advertise(c, all)
}

func (sv *services) advertise(c *client, ids []uint32) {
	if !c.control {
		return
	}
	slices.SortFunc(ids, func(a, b uint32) int { return strings.Compare(sv.live[a].Name, sv.live[b].Name) })
	for some := range slices.Chunk(ids, batch) {
		m := advertiseServices{Op: "advertiseServices"}
		for _, id := range some {
			s := sv.live[id]
			m.Services = append(m.Services, serviceInfo{ID: id, Name: s.Name, Type: s.Type.Name,
				Request:  serviceSchema{encodingROS, s.Type.Name + "_Request", schemaROS, s.Type.Request.Definition},
				Response: serviceSchema{encodingROS, s.Type.Name + "_Response", schemaROS, s.Type.Response.Definition}})
		}
		c.send(m)
	}
}

// maxCalls is how many calls of services one client may have under way.
const maxCalls = 32

// call calls a service for a client and answers it.
func (c *client) call(r serviceRequest) {
	c.s.mu.Lock()
	service, known := c.s.services.live[r.service]
	c.s.mu.Unlock()
	switch {
	case !c.control:
		c.callFailed(r, service.Name, "this client may not call services")
		return
	case !known:
		c.callFailed(r, service.Name, "there is no such service")
		return
	case r.encoding != encodingROS:
		c.callFailed(r, service.Name, "the encoding is "+quoted(r.encoding)+", expected "+encodingROS)
		return
	}
	size := int64(len(r.request))
	if !c.Reserve(size) {
		c.callFailed(r, service.Name, "clients send too much at once")
		return
	}
	select {
	case c.calls <- struct{}{}:
	default:
		c.Unreserve(size)
		c.callFailed(r, service.Name, "32 calls are under way already")
		return
	}
	r.request = slices.Clone(r.request)
	c.wg.Go(func() {
		defer c.Unreserve(size)
		ctx, cancel := context.WithTimeout(c.Context(), callTime)
		defer cancel()
		response, err := c.s.o.Graph.Call(ctx, service, r.request)
		<-c.calls // before the answer: who has it may call again
		if err != nil {
			c.callFailed(r, service.Name, err.Error())
			return
		}
		c.Send(websocket.Binary, appendServiceResponse(nil, r.service, r.call, r.encoding, response))
	})
}

// callFailed answers a call. Lichtblick shows the status only.
func (c *client) callFailed(r serviceRequest, name, why string) {
	c.send(serviceCallFailure{"serviceCallFailure", r.service, r.call, why})
	c.status(levelError, "Service call failed: "+name+": "+why)
}
