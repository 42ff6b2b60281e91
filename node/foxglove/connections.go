package foxglove

import (
	"maps"
	"slices"
)

// connections is the connection graph as clients were told it. The server's mu guards
// it.
type connections struct {
	published, subscribed, provided map[string][]string
}

// update sends changes to the clients that follow the graph.
func (g *connections) update(state *State, all []*client) {
	now := connections{state.Publishers, state.Subscribers, state.Providers}
	news, any := now.since(g)
	*g = now
	if !any {
		return
	}
	for _, c := range all {
		if c.followsGraph {
			c.send(news)
		}
	}
}

// since is what is different from before: each name that is there has its whole list.
func (g *connections) since(before *connections) (news connectionGraphUpdate, any bool) {
	news = connectionGraphUpdate{Op: "connectionGraphUpdate", PublishedTopics: []publishers{}, SubscribedTopics: []subscribers{},
		AdvertisedServices: []providers{}, RemovedTopics: []string{}, RemovedServices: []string{}}
	for _, name := range changed(before.published, g.published) {
		news.PublishedTopics = append(news.PublishedTopics, publishers{name, ids(g.published[name])})
	}
	for _, name := range changed(before.subscribed, g.subscribed) {
		news.SubscribedTopics = append(news.SubscribedTopics, subscribers{name, ids(g.subscribed[name])})
	}
	for _, name := range changed(before.provided, g.provided) {
		if len(g.provided[name]) > 0 {
			news.AdvertisedServices = append(news.AdvertisedServices, providers{name, ids(g.provided[name])})
		} else {
			news.RemovedServices = append(news.RemovedServices, name)
		}
	}
	for name := range before.topics() {
		if len(g.published[name])+len(g.subscribed[name]) == 0 {
			news.RemovedTopics = append(news.RemovedTopics, name)
		}
	}
	slices.Sort(news.RemovedTopics)
	any = len(news.PublishedTopics)+len(news.SubscribedTopics)+len(news.AdvertisedServices)+len(news.RemovedTopics)+len(news.RemovedServices) > 0
	return news, any
}

func (g *connections) topics() map[string]bool {
	all := make(map[string]bool)
	for name := range g.published {
		all[name] = true
	}
	for name := range g.subscribed {
		all[name] = true
	}
	return all
}

// changed lists the names whose lists differ, sorted.
func changed(before, now map[string][]string) []string {
	names := make(map[string]bool)
	for name, list := range now {
		if !slices.Equal(list, before[name]) {
			names[name] = true
		}
	}
	for name := range before {
		if _, has := now[name]; !has {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// ids is a list that JSON doesn't write as null.
func ids(list []string) []string { return append([]string{}, list...) }

// followGraph begins to send the client the connection graph, the whole one first,
// or stops.
func (c *client) followGraph(on bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if on && !c.followsGraph && c.s.known { // otherwise the first update is the whole one
		whole, _ := c.s.graph.since(&connections{})
		c.send(whole)
	}
	c.followsGraph = on
}
