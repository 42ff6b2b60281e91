package source

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	mapping "rsros/msgs/ros2"
	"rsros/program/work"
	"rsros/record/topicfile"
	"rsros/ros"
	"rsros/ros/names"
	"rsros/ros2"
)

const (
	describeWait = 2 * time.Second // for a type's definition
	followEvery  = time.Second     // beside changes of the graph
)

// ROS2 is a graph of ROS 2. It subscribes with the quality of service that the publishers offer, and asks their nodes
// for definitions that this program doesn't know.
type ROS2 struct {
	node        *ros2.Node
	log         zerolog.Logger
	change      work.Signal
	stop        func()
	definitions map[[2]string]string // by type and hash; of follow's goroutine

	mu   sync.Mutex
	list map[*ros2Subscription]struct{}
}

// NewROS2 returns the graph of a node. The caller closes it before the node.
func NewROS2(node *ros2.Node, log zerolog.Logger) *ROS2 {
	g := &ROS2{
		node: node, log: log, change: work.NewSignal(), definitions: map[[2]string]string{},
		list: map[*ros2Subscription]struct{}{},
	}
	forget := node.OnChange(g.change.Set)
	end := work.Run(context.Background(), g.follow)
	g.stop = func() { forget(); end() }
	return g
}

// Close stops following the graph.
func (g *ROS2) Close() { g.stop() }

// follow keeps the subscriptions in line with their publishers until ctx ends.
func (g *ROS2) follow(ctx context.Context) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-g.change:
		}
		g.mu.Lock()
		list := make([]*ros2Subscription, 0, len(g.list))
		for s := range g.list {
			list = append(list, s)
		}
		g.mu.Unlock()
		graph := g.node.Graph()
		for _, s := range list {
			s.follow(ctx, graph)
		}
	}
}

// publishers returns the publishers of a topic that aren't the node's own.
func (g *ROS2) publishers(graph *ros2.Graph, topic string) []ros2.EndpointInfo {
	return slices.DeleteFunc(graph.Publishers(topic), g.isOwn)
}

func (g *ROS2) isOwn(e ros2.EndpointInfo) bool { return e.GUID.Prefix() == g.node.GUID().Prefix() }

// Topics returns the topics that other nodes publish, with their types.
func (g *ROS2) Topics(context.Context, bool) (map[string]string, error) {
	list := map[string]string{}
	for _, e := range g.node.Graph().Endpoints {
		if e.Publisher && !e.Service && strings.HasPrefix(e.Topic, "/") && !g.isOwn(e) {
			list[e.Topic] = e.Type
		}
	}
	return list, nil
}

// SubscribedTopics returns the topics that a node subscribes to.
func (g *ROS2) SubscribedTopics(_ context.Context, node string) (list []string, err error) {
	for _, e := range g.node.Graph().Endpoints {
		if !e.Publisher && !e.Service && e.Node == node {
			list = append(list, e.Topic)
		}
	}
	return list, nil
}

// Subscribe subscribes to a topic as soon as somebody publishes it, because its type is known then.
func (g *ROS2) Subscribe(o Options, callback func(Message)) (Subscription, error) {
	if err := names.Check(o.Topic); err != nil {
		return nil, err
	}
	s := &ros2Subscription{
		g: g, o: o, callback: callback, headers: map[ros2.GUID]header{}, missing: map[string]uint64{},
		refused: map[ros2.GUID]bool{},
	}
	g.mu.Lock()
	g.list[s] = struct{}{}
	g.mu.Unlock()
	g.change.Set()
	return s, nil
}

// ros2Subscription is a subscription to a topic of ROS 2.
type ros2Subscription struct {
	g        *ROS2
	o        Options
	callback func(Message)

	messages, bytes atomic.Uint64

	// Of follow, set before in is:
	topic   bagstore.Topic
	qos     ros2.QoS
	refused map[ros2.GUID]bool

	mu         sync.Mutex       // guards the following
	in         *ros2.Subscriber // nil until somebody publishes the topic
	publishers int
	seen       time.Time // when the first publisher was found
	headers    map[ros2.GUID]header
	missing    map[string]uint64 // of former subscribers
	closed     bool
}

// follow subscribes, or subscribes again if a publisher offers less than what was subscribed to.
func (s *ros2Subscription) follow(ctx context.Context, graph *ros2.Graph) {
	list := s.g.publishers(graph, s.o.Topic)
	s.mu.Lock()
	first := s.in == nil
	if s.publishers = len(list); len(list) > 0 && s.seen.IsZero() {
		s.seen = time.Now()
	}
	s.mu.Unlock()
	if len(list) == 0 {
		return
	}
	if first && s.topic.Type == "" && !s.learn(ctx, graph, &list[0]) {
		return // its node isn't known yet
	}
	var taken []ros2.EndpointInfo
	for _, e := range list {
		if e.Type == s.topic.Type {
			taken = append(taken, e)
		} else if !s.refused[e.GUID] {
			s.refused[e.GUID] = true
			s.g.log.Warn().Str("topic", e.Topic).Str("type", e.Type).Str("recorded", s.topic.Type).Str("node", e.Node).
				Msg("a publisher is left out: its type is another one")
		}
	}
	qos := ros2.Offered(taken, 0)
	if !first && (qos.Reliable || !s.qos.Reliable) && (qos.TransientLocal || !s.qos.TransientLocal) {
		return
	}
	if !first {
		s.g.log.Warn().Str("topic", s.o.Topic).Bool("reliable", qos.Reliable).Bool("transient_local", qos.TransientLocal).
			Msg("a publisher offers less than the others: subscribing again")
		s.leave()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	in, err := s.g.node.Subscribe(ros2.SubscriberOptions{
		Topic: s.o.Topic, Type: s.topic.Type, Hash: s.topic.Hash, QoS: qos, MaxMessage: s.o.Budget.Limit(),
		Callback: s.receive,
	})
	if err != nil {
		s.g.log.Warn().Err(err).Str("topic", s.o.Topic).Msg("can't subscribe")
		return
	}
	s.in, s.qos = in, qos
}

// learn sets the topic to what a publisher says. It reports false if the publisher's node may become known.
func (s *ros2Subscription) learn(ctx context.Context, graph *ros2.Graph, e *ros2.EndpointInfo) bool {
	text, ok := s.g.definition(ctx, graph, e.Node, e.Type, e.Hash)
	if !ok && time.Since(s.seen) < describeWait {
		return false
	}
	if text == "" {
		s.g.log.Warn().Str("topic", s.o.Topic).Str("type", e.Type).
			Msg("no node tells the type's definition: the file has none")
	}
	s.topic = bagstore.Topic{
		Name: s.o.Topic, Type: e.Type, Hash: e.Hash, Schema: bagstore.Schema{Encoding: bagstore.SchemaROS2, Text: text},
	}
	return true
}

// leave keeps the losses of the subscriber and closes it.
func (s *ros2Subscription) leave() {
	s.mu.Lock()
	in := s.in
	s.in = nil
	s.mu.Unlock() // a callback may wait for it
	if in == nil {
		return
	}
	in.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addMissing(s.missing, in)
}

// definition returns a type's definition, "" if nobody tells it. ok is false if the node isn't known yet.
func (g *ROS2) definition(ctx context.Context, graph *ros2.Graph, node, typ, hash string) (text string, ok bool) {
	text, known, ok := mapping.Describe(typ)
	if ok && (hash == "" || hash == known) {
		return text, true
	}
	key := [2]string{typ, hash}
	if text, ok := g.definitions[key]; ok {
		return text, true
	}
	if node == "" {
		return "", false
	}
	if _, served := graph.Services()[node+"/get_type_description"]; !served {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, describeWait)
	defer cancel()
	text, err := g.node.DescribeType(ctx, node, typ, hash)
	if err != nil {
		g.log.Warn().Err(err).Str("type", typ).Msg("the type's definition isn't known")
	}
	g.definitions[key] = text
	return text, true
}

func (s *ros2Subscription) receive(m ros2.Received) {
	s.messages.Add(1)
	s.bytes.Add(uint64(len(m.Data)))
	b := m.Retain()
	s.callback(Message{m.Data, s.header(m.Publisher), b})
	b.Release()
}

// header is that of a publisher's connection. Nodes tell which publishers are theirs after these are found, and not all
// participants do.
type header struct {
	ros.Header
	made  time.Time // when the first message came
	named bool      // by the node; otherwise by the publisher's GUID
}

// header returns the header of a publisher's connection.
func (s *ros2Subscription) header(publisher ros2.GUID) ros.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, known := s.headers[publisher]
	if known && (h.named || time.Since(h.made) > describeWait) {
		return h.Header
	}
	if !known {
		h.made = time.Now()
	}
	t := s.topic
	t.CallerID, t.QoS = publisher.String(), db3.QoS(false)
	for _, e := range s.g.node.Graph().Publishers(s.o.Topic) {
		if e.GUID == publisher {
			h.named = e.Node != ""
			t.CallerID, t.QoS = cmp.Or(e.Node, t.CallerID), db3.OfferedQoS(e.QoS.Reliable, e.QoS.TransientLocal)
		}
	}
	h.Header = topicfile.Header(t)
	s.headers[publisher] = h
	return h.Header
}

// Headers returns those of the publishers from which messages came.
func (s *ros2Subscription) Headers() (list []ros.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in != nil {
		for range s.in.Publishers() {
			list = append(list, ros.Header{"type": s.topic.Type})
		}
	}
	return list
}

// Stats returns the counters.
func (s *ros2Subscription) Stats() ros.SubscriberCounts {
	c := ros.SubscriberCounts{Messages: s.messages.Load(), Bytes: s.bytes.Load()}
	for _, n := range s.Missing() {
		c.Missing += n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in != nil {
		c.Publishers = s.in.Publishers()
	}
	return c
}

// Missing returns the losses by the publisher's node.
func (s *ros2Subscription) Missing() map[string]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := map[string]uint64{}
	for name, n := range s.missing {
		list[name] = n
	}
	if s.in != nil {
		s.addMissing(list, s.in)
	}
	return list
}

// addMissing adds the losses of a subscriber. The caller holds mu.
func (s *ros2Subscription) addMissing(to map[string]uint64, in *ros2.Subscriber) {
	for publisher, c := range in.Counts() {
		if c.Lost == 0 {
			continue
		}
		name := publisher.String()
		if h, known := s.headers[publisher]; known {
			name = h.Header["callerid"]
		}
		to[name] += c.Lost
	}
}

// Announced reports whether somebody publishes the topic.
func (s *ros2Subscription) Announced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.publishers > 0
}

// Unreached returns the number of publishers that don't match, for longer than a time after the first was found.
func (s *ros2Subscription) Unreached(longer time.Duration) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.publishers == 0 || time.Since(s.seen) < longer {
		return 0
	}
	if s.in == nil {
		return s.publishers
	}
	return max(s.publishers-s.in.Publishers(), 0)
}

// Close ends the subscription.
func (s *ros2Subscription) Close() {
	s.g.mu.Lock()
	delete(s.g.list, s)
	s.g.mu.Unlock()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.leave()
}
