package foxglove

import (
	"context"
	"slices"
	"strings"

	"github.com/coder/websocket"
)

// updateServices replaces the services and informs the clients that may call them. Callers hold mu.
func (s *Server) updateServices(list []Service) {
	added, removed := s.services.update(list)
	for _, c := range s.clients.All() {
		if s.o.Control && len(removed) > 0 {
			c.send("unadvertiseServices", object{"serviceIds": removed})
		}
		c.advertiseServices(added)
	}
}

// advertiseServices advertises some services to the client, sorted by name, if it may call them.
// The server's mu is held.
func (c *client) advertiseServices(list []uint32) {
	if !c.s.o.Control {
		return
	}
	live := c.s.services.live
	slices.SortFunc(list, func(a, b uint32) int { return strings.Compare(live[a].Name, live[b].Name) })
	for some := range slices.Chunk(list, batch) {
		services := []serviceInfo{}
		for _, id := range some {
			s := live[id]
			services = append(services, serviceInfo{ID: id, Name: s.Name, Type: s.Type.Name,
				Request:  serviceSchema{encodingROS, s.Type.Name + "_Request", schemaROS, s.Type.Request.Definition},
				Response: serviceSchema{encodingROS, s.Type.Name + "_Response", schemaROS, s.Type.Response.Definition}})
		}
		c.send("advertiseServices", object{"services": services})
	}
}

// maxCalls is the maximum number of concurrent service calls of a client.
const maxCalls = 32

// call calls a service for a client and answers it.
func (c *client) call(r serviceRequest) {
	c.s.mu.Lock()
	service, known := c.s.services.live[r.service]
	c.s.mu.Unlock()
	size := int64(len(r.request))
	problem := ""
	switch {
	case !c.s.o.Control:
		problem = "this client may not call services"
	case !known:
		problem = "there is no such service"
	case r.encoding != encodingROS:
		problem = "the encoding is " + quoted(r.encoding) + ", expected " + encodingROS
	case !c.Reserve(size):
		problem = "clients send too much at once"
	}
	if problem != "" {
		c.callFailed(r, service.Name, problem)
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
	c.Go(func() error {
		defer c.Unreserve(size)
		ctx, cancel := context.WithTimeout(c.Context(), callTime)
		defer cancel()
		response, err := c.s.graph.Call(ctx, service, r.request)
		<-c.calls // before the answer, after which the client may call again
		if err != nil {
			c.callFailed(r, service.Name, err.Error())
			return nil
		}
		c.Send(websocket.MessageBinary, appendServiceResponse(nil, r.service, r.call, r.encoding, response))
		return nil
	})
}

// callFailed answers a call that failed, and sends a status, because Lichtblick shows only that.
func (c *client) callFailed(r serviceRequest, name, why string) {
	c.send("serviceCallFailure", serviceCallFailure{r.service, r.call, why})
	c.status(levelError, "Service call failed: "+name+": "+why)
}
