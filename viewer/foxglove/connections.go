package foxglove

import "slices"

// updateConnections sends changes of the connection graph to the clients that follow it. Callers hold mu.
func (s *Server) updateConnections(now *State) {
	update, any := now.connectionsSince(s.state)
	for _, c := range s.clients.All() {
		if any && c.followsGraph {
			c.send("connectionGraphUpdate", update)
		}
	}
}

// connectionsSince returns the changes of the connection graph. Each changed name has its complete list.
func (s *State) connectionsSince(before *State) (update connectionGraphUpdate, any bool) {
	update = connectionGraphUpdate{PublishedTopics: []object{}, SubscribedTopics: []object{},
		AdvertisedServices: []object{}, RemovedTopics: []string{}, RemovedServices: []string{}}
	nodes := func(name, key string, list []string) object {
		return object{"name": name, key: append([]string{}, list...)} // JSON encodes an empty list as []
	}
	for _, name := range changed(before.Publishers, s.Publishers, slices.Equal) {
		update.PublishedTopics = append(update.PublishedTopics, nodes(name, "publisherIds", s.Publishers[name]))
	}
	for _, name := range changed(before.Subscribers, s.Subscribers, slices.Equal) {
		update.SubscribedTopics = append(update.SubscribedTopics, nodes(name, "subscriberIds", s.Subscribers[name]))
	}
	for _, name := range changed(before.Providers, s.Providers, slices.Equal) {
		if len(s.Providers[name]) > 0 {
			update.AdvertisedServices = append(update.AdvertisedServices, nodes(name, "providerIds", s.Providers[name]))
		} else {
			update.RemovedServices = append(update.RemovedServices, name)
		}
	}
	for _, topics := range []map[string][]string{before.Publishers, before.Subscribers} {
		for name := range topics {
			if len(s.Publishers[name])+len(s.Subscribers[name]) == 0 {
				update.RemovedTopics = append(update.RemovedTopics, name)
			}
		}
	}
	slices.Sort(update.RemovedTopics)
	update.RemovedTopics = slices.Compact(update.RemovedTopics)
	any = len(update.PublishedTopics)+len(update.SubscribedTopics)+len(update.AdvertisedServices)+
		len(update.RemovedTopics)+len(update.RemovedServices) > 0
	return update, any
}

// followGraph starts or stops sending the connection graph to the client. The first message has the whole graph.
func (c *client) followGraph(on bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	// Of an empty graph, the first update has everything.
	if whole, any := c.s.state.connectionsSince(&State{}); on && any && !c.followsGraph {
		c.send("connectionGraphUpdate", whole)
	}
	c.followsGraph = on
}
