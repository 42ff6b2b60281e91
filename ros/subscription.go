package ros

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"rsros/ros/rosapi"
	"rsros/ros/xmlrpc"
)

// subscription is shared by a node's subscribers of one topic: the registration at
// the master and the list of publishers that the master sends.
type subscription struct {
	node         *Node
	name, typ    string
	registration *rosapi.Registration

	mu          sync.Mutex
	subscribers []*Subscriber
	publishers  []string // URIs
	named       int      // publishers in the master's last list
	updates     int      // publisherUpdate calls received
	known       bool     // a master has accepted the registration

	// orphans are publishers that only a previous master knew. They continue to publish
	// (few nodes register again as this one does), so their links stay until they break.
	orphans []string
}

// join adds a subscriber to its topic. It returns false if the node is closed.
func (n *Node) join(s *Subscriber) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return false
	}
	name := s.options.Topic
	sub := n.subs[name]
	if sub == nil {
		sub = &subscription{node: n, name: name, typ: s.options.Type.Name}
		n.subs[name] = sub
		sub.registration = &rosapi.Registration{Kind: rosapi.Subscriber, Name: name, Detail: sub.typ,
			Register: sub.register, Publishers: sub.announced}
		n.registrar.Add(sub.registration)
	}
	s.shared = sub
	sub.mu.Lock()
	sub.subscribers = append(sub.subscribers, s)
	s.setPublishers(sub.publishers)
	sub.mu.Unlock()
	return true
}

// trimEvery is how often subscribers give up unused memory.
const trimEvery = 10 * time.Second

func (n *Node) trim(time.Time) {
	for _, s := range n.subscribers() {
		s.pool.Trim()
	}
}

// subscribers returns the subscribers of all topics.
func (n *Node) subscribers() (all []*Subscriber) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, sub := range n.subs {
		sub.mu.Lock()
		all = append(all, sub.subscribers...)
		sub.mu.Unlock()
	}
	return all
}

// leave removes a subscriber, and the topic's registration with the last one.
func (n *Node) leave(s *Subscriber) {
	n.mu.Lock()
	defer n.mu.Unlock()
	sub := s.shared
	sub.mu.Lock()
	defer sub.mu.Unlock()
	at := slices.Index(sub.subscribers, s)
	if at < 0 {
		return
	}
	sub.subscribers = slices.Delete(sub.subscribers, at, at+1)
	if len(sub.subscribers) == 0 {
		delete(n.subs, sub.name)
		n.registrar.Remove(sub.registration)
	}
}

func (s *subscription) register() (answered func(any) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.updates
	if s.known { // by a previous master
		s.orphans = slices.Clone(s.publishers)
	}
	return func(answer any) error {
		uris, err := rosapi.URIs(answer)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.known = true
		if s.updates == before { // otherwise a newer list has arrived
			s.setPublishers(uris)
		}
		return nil
	}
}

// announced returns how many publishers the master has named.
func (s *subscription) announced() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.named
}

// maxPublishers is the limit of publishers of a topic. Each costs some 40 KB and up to two sockets while it is being
// connected to, and anybody may call publisherUpdate.
const maxPublishers = 1000

// setPublishers passes the master's list and the orphans to the subscribers. Callers hold mu.
func (s *subscription) setPublishers(uris []string) {
	if s.named = len(uris); s.named > maxPublishers {
		s.node.log.Warn().Str("topic", s.name).Int("publishers", s.named).Int("limit", maxPublishers).
			Msg("too many publishers; the last ones are left out")
		uris = uris[:maxPublishers]
	}
	s.orphans = slices.DeleteFunc(s.orphans, func(uri string) bool { return slices.Contains(uris, uri) })
	s.orphans = s.orphans[:min(len(s.orphans), maxPublishers-len(uris))]
	s.publishers = slices.Concat(uris, s.orphans)
	uris = s.publishers
	for _, sub := range s.subscribers {
		sub.setPublishers(uris)
	}
}

// broken handles a broken link: an orphan isn't reconnected.
func (s *subscription) broken(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.Index(s.orphans, uri); at >= 0 {
		known := s.publishers[:len(s.publishers)-len(s.orphans)]
		s.orphans = slices.Delete(s.orphans, at, at+1)
		s.setPublishers(known)
	}
}

// publisherUpdate handles the master's list of the current publishers of a topic.
func (n *Node) publisherUpdate(_ string, args []any) (any, error) {
	name, ok := args[0].(string)
	if !ok || name == "" {
		return nil, fmt.Errorf("topic %v isn't a name", args[0])
	}
	uris, err := rosapi.URIs(args[1])
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	sub := n.subs[name]
	n.mu.Unlock()
	if sub != nil {
		sub.mu.Lock()
		sub.updates++
		sub.setPublishers(uris)
		sub.mu.Unlock()
	}
	return 0, nil
}

func (n *Node) subscriptions() any {
	n.mu.Lock()
	defer n.mu.Unlock()
	return xmlrpc.Pairs(n.subs, func(s *subscription) any { return s.typ })
}
