package foxglove

import (
	"slices"
)

// connections is the connection graph that clients were last sent. The server's mu guards it.
type connections struct {
	published, subscribed, provided map[string][]string
}

// update sends changes to the clients that follow the graph.
func (g *connections) update(state *State, all []*client) {
	now := connections{state.Publishers, state.Subscribers, state.Providers}
	update, any := now.diff(g)
	*g = now
	if !any {
		return
	}
	for _, c := range all {
		if c.followsGraph {
			c.send("connectionGraphUpdate", update)
		}
	}
}

// diff returns the changes. Each changed name has its complete list.
func (g *connections) diff(before *connections) (update connectionGraphUpdate, any bool) {
	update = connectionGraphUpdate{PublishedTopics: []publishers{}, SubscribedTopics: []subscribers{},
		AdvertisedServices: []providers{}, RemovedTopics: []string{}, RemovedServices: []string{}}
	for _, name := range changed(before.published, g.published, slices.Equal) {
		update.PublishedTopics = append(update.PublishedTopics, publishers{name, ids(g.published[name])})
	}
	for _, name := range changed(before.subscribed, g.subscribed, slices.Equal) {
		update.SubscribedTopics = append(update.SubscribedTopics, subscribers{name, ids(g.subscribed[name])})
	}
	for _, name := range changed(before.provided, g.provided, slices.Equal) {
		if len(g.provided[name]) > 0 {
			update.AdvertisedServices = append(update.AdvertisedServices, providers{name, ids(g.provided[name])})
		} else {
			update.RemovedServices = append(update.RemovedServices, name)
		}
	}
	for _, topics := range []map[string][]string{before.published, before.subscribed} {
		for name := range topics {
			if len(g.published[name])+len(g.subscribed[name]) == 0 {
				update.RemovedTopics = append(update.RemovedTopics, name)
			}
		}
	}
	slices.Sort(update.RemovedTopics)
	update.RemovedTopics = slices.Compact(update.RemovedTopics)
	any = len(update.PublishedTopics)+len(update.SubscribedTopics)+len(update.AdvertisedServices)+len(update.RemovedTopics)+len(update.RemovedServices) > 0
	return update, any
}

// ids returns a copy of list that JSON doesn't encode as null.
func ids(list []string) []string { return append([]string{}, list...) }

// followGraph starts or stops sending the connection graph to the client. The first message has
// the whole graph.
func (c *client) followGraph(on bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if whole, any := c.s.nodes.diff(&connections{}); on && any && !c.followsGraph { // otherwise the first update has the whole graph
		c.send("connectionGraphUpdate", whole)
	}
	c.followsGraph = on
}
