package view

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"rsros/msgs"
	"rsros/program/work"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/viewer/foxglove"
)

// nodeGraph is the ROS graph of a node. Messages that the node itself publishes are sent from the
// memory that they share with ROS subscribers. Other topics are subscribed to over TCPROS.
type nodeGraph struct {
	node *graph.Node
}

// period is the time between two polls of the master.
const period = time.Second

// Follow implements foxglove.Graph. It queries the master once a second, and other nodes
// once for each of their topics and services, which are shown when their nodes have answered.
func (g nodeGraph) Follow(changed func(*foxglove.State)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	f := &follower{node: g.node, changed: changed, wake: work.NewSignal()}
	f.answers = work.NewAnswers(ctx, f.wake.Set, func(q question) string { return q.uri }, f.ask)
	params, err := g.node.SubscribeParam("/", f.setParams)
	if err != nil {
		f.problems = append(f.problems, "Parameters can't be shown: "+err.Error())
	}
	end := work.Run(ctx, f.run)
	return func() {
		cancel()
		end()
		f.answers.Wait()
		if params != nil {
			params.Close()
		}
	}
}

// follower polls the graph.
type follower struct {
	node     *graph.Node
	answers  *work.Answers[question, answer]
	changed  func(*foxglove.State)
	wake     work.Signal // parameters changed, or there are answers
	problems []string    // that don't change
	last     *foxglove.State

	// What the master last answered.
	there graph.Addressed
	err   error

	mu     sync.Mutex
	params map[string]any
}

func (f *follower) setParams(value any) {
	tree, _ := value.(map[string]any)
	f.mu.Lock()
	f.params = foxglove.Flatten(tree)
	f.mu.Unlock()
	f.wake.Set()
}

func (f *follower) run(ctx context.Context) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	f.poll(ctx)
	for ctx.Err() == nil {
		state := f.state()
		f.answers.Sweep()
		if f.last == nil || !reflect.DeepEqual(state, f.last) {
			f.last = state
			f.changed(state)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
			f.poll(ctx)
		case <-f.wake:
			f.gather(ctx)
		}
	}
}

// gatherTime is how long further answers are waited for before the first one is shown.
const gatherTime = 100 * time.Millisecond

// gather waits until no node is being asked, or for gatherTime.
func (f *follower) gather(ctx context.Context) {
	for late := time.After(gatherTime); f.answers.Busy(); {
		select {
		case <-f.wake:
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// poll asks the master.
func (f *follower) poll(ctx context.Context) { f.there, f.err = f.node.Addressed(ctx) }

// state returns the state of the graph. If the master doesn't answer, the state has only the
// topics that this node publishes.
func (f *follower) state() *foxglove.State {
	s := &foxglove.State{Problems: slices.Clone(f.problems)}
	f.mu.Lock()
	s.Params = f.params
	f.mu.Unlock()
	own := make(map[string]bool)
	for _, p := range f.node.Publications() {
		own[p.Topic] = true
		s.Topics = append(s.Topics, foxglove.Topic{Name: p.Topic, Type: p.Type, Latched: p.Latched})
	}
	there := f.there
	if f.err != nil {
		s.Problems = append(s.Problems, "The ROS master doesn't answer")
		there = graph.Addressed{}
	}
	s.Publishers, s.Subscribers, s.Providers = there.Publishers, there.Subscribers, there.Providers
	for _, topic := range slices.Sorted(maps.Keys(there.Publishers)) {
		if !own[topic] {
			f.add(s, topic, there.Publishers[topic])
		}
	}
	for _, topic := range slices.Sorted(maps.Keys(there.Subscribers)) {
		if !own[topic] && len(there.Publishers[topic]) == 0 {
			if typ, known := msgs.Lookup(there.Types[topic]); known {
				s.Topics = append(s.Topics, foxglove.Topic{Name: topic, Type: typ})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there.Providers)) {
		uri := there.Addresses[there.Providers[name][0]]
		if a, _, _ := f.answers.Get(question{uri, name, true}); a.service.MD5 != "" {
			s.Services = append(s.Services, foxglove.Service{Name: name, Type: a.service})
		}
	}
	slices.SortFunc(s.Topics, func(a, b foxglove.Topic) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// add adds a topic of other nodes. It uses the answer of the first publisher that gives one. Those of another
// type are refused later, when connecting.
func (f *follower) add(s *foxglove.State, topic string, publishers []string) {
	var failed error
	for _, node := range publishers {
		a, err, known := f.answers.Get(question{f.there.Addresses[node], topic, false})
		if !known {
			return
		}
		if failed = err; err == nil {
			s.Topics = append(s.Topics, foxglove.Topic{Name: topic, Type: a.topic.Type, Latched: a.topic.Latched})
			return
		}
	}
	s.Problems = append(s.Problems, "Topic "+topic+" can't be shown: "+failed.Error())
}

// Subscribe implements foxglove.Graph.
func (g nodeGraph) Subscribe(t foxglove.Topic, deliver func(foxglove.Message)) (stop func(), err error) {
	tap, err := g.node.Tap(t.Name, func(m *ros.Shared) {
		deliver(foxglove.Message{Body: m, Time: cmp.Or(m.Time, time.Now().UnixNano()), Latched: t.Latched})
	})
	if err != nil {
		return nil, err
	}
	options := ros.SubscriberOptions{
		Topic: t.Name, Type: msgs.Type{Name: t.Type.Name, MD5: t.Type.MD5}, Others: true, NoDelay: true,
	}
	others, err := g.node.Subscribe(options, func(r ros.Received) {
		b := received{r.Retain()}
		deliver(foxglove.Message{
			Body: b, Time: r.Time.UnixNano(), Latched: r.Header["latching"] == "1", Publisher: r.Header["callerid"],
		})
		b.Release()
	})
	if err != nil {
		tap.Close()
		return nil, err
	}
	return func() {
		tap.Close()
		others.Close()
	}, nil
}

// received is a message received over TCPROS.
type received struct{ *ros.Buffer }

func (r received) Content(vec [][]byte) [][]byte { return append(vec, r.Bytes()) }
func (r received) ContentSize() int64            { return int64(len(r.Bytes())) }

// Publish implements foxglove.Graph.
func (g nodeGraph) Publish(topic string, typ msgs.Type) (foxglove.Publisher, error) {
	p, err := g.node.Advertise(ros.PublisherOptions{Topic: topic, Type: typ})
	if err != nil {
		return nil, err
	}
	return publisher{p}, nil
}

type publisher struct{ *ros.Publisher }

func (p publisher) Publish(message []byte) { p.Publisher.Publish(msgs.Raw{Head: message}) }

// Call implements foxglove.Graph.
func (g nodeGraph) Call(ctx context.Context, s foxglove.Service, request []byte) ([]byte, error) {
	return g.node.CallService(ctx, s.Name, s.Type, request)
}

// SetParam implements foxglove.Graph.
func (g nodeGraph) SetParam(ctx context.Context, name string, value any) error {
	if value == nil {
		return g.node.DeleteParam(ctx, name)
	}
	return g.node.SetParam(ctx, name, value)
}
