// Package bridge passes messages from ROS 1 to ROS 2. A Mirror publishes in ROS 2 what a node of
// this program publishes in ROS 1, so that a job has one way to publish, whichever ROS it serves.
//
// Messages are converted as by convert, once for all subscribers, and only while there are any. The
// pixels of an image are sent from the memory that the publisher passed.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/program"
	"rsros/program/work"
	"rsros/ros"
	"rsros/ros/graph"
	dds "rsros/ros2"
)

// Worlds says which ROS a node serves.
type Worlds string

// The worlds.
const (
	ROS1 Worlds = "1"
	ROS2 Worlds = "2"
	Both Worlds = "both"
)

// Options describe a Mirror's node in ROS 2.
type Options struct {
	Name, Namespace string   // of the node; they default to those of the node in ROS 1
	QoS             []string // rules of the form REGEX=PROFILE or PROFILE, the last that matches counts
	// Rename returns a topic's or service's name in ROS 2, or "" if it isn't offered there; nil: the same.
	Rename func(name string) string
}

// Mirror publishes in ROS 2 what a node publishes in ROS 1. A nil Mirror publishes nothing.
type Mirror struct {
	from   *ros.Node
	to     *dds.Node
	rename func(string) string
	log    zerolog.Logger
	joined time.Time
	change work.Signal // topics or their subscribers have changed
	stop   func()

	remaps     map[string]string // of names in ROS 2
	qos        []qosRule
	parameters parameters

	mu       sync.Mutex        // guards the following
	topics   map[string]*topic // by name in ROS 1; nil: it isn't published in ROS 2
	services map[*ros.ServiceServer]*dds.Service
	lost     []Loss // of topics that are closed
}

// Join joins the graphs that worlds says. With ROS2, the node has a master of its own, which only this process
// knows. The Mirror is nil with ROS1. The caller closes it before the node.
//
// The error wraps program.ErrUsage if a name or an environment variable of ROS 2 is invalid.
func Join(ctx context.Context, worlds Worlds, join graph.JoinOptions, o Options) (*graph.Node, *Mirror, error) {
	if worlds == ROS2 {
		join.Master = graph.Private
	}
	n, err := graph.Join(ctx, join)
	if err != nil || cmp.Or(worlds, ROS1) == ROS1 {
		return n, nil, err
	}
	m, err := newMirror(ctx, n.Node, o, join.ROS)
	if err != nil {
		return nil, nil, errors.Join(err, n.Close())
	}
	return n, m, nil
}

func newMirror(ctx context.Context, from *ros.Node, o Options, given graph.Config) (*Mirror, error) {
	log := from.Log().With().Str("component", "ros2").Logger()
	qos, err := parseQoS(o.QoS)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	to, err := JoinNode(ctx, dds.Config{
		Name: cmp.Or(o.Name, path.Base(from.Name())), Namespace: cmp.Or(o.Namespace, path.Dir(from.Name())), Log: log,
	})
	if err != nil {
		return nil, err
	}
	m := &Mirror{from: from, to: to, rename: o.Rename, log: log, joined: time.Now(), change: work.NewSignal(),
		topics: map[string]*topic{}, services: map[*ros.ServiceServer]*dds.Service{}}
	if m.rename == nil {
		m.rename = func(topic string) string { return topic }
	}
	m.qos, m.remaps = qos, m.expand(given.Remaps)
	m.parameters.init(given.PrivateParams)
	if m.parameters.server, err = to.ServeParameters(&m.parameters); err != nil {
		to.Close()
		return nil, fmt.Errorf("serve parameters in ROS 2: %w", err)
	}
	from.OnOffers(m.change.Set)
	m.change.Set() // what is offered already
	m.stop = work.Run(context.Background(), m.run)
	return m, nil
}

// JoinNode joins the graph that the environment describes, and says what isn't followed there.
func JoinNode(ctx context.Context, node dds.Config) (*dds.Node, error) {
	config, unsupported, err := dds.FromEnvironment(ctx, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	for _, text := range unsupported {
		node.Log.Warn().Msg(text)
	}
	node.Domain, node.Range, node.Peers = config.Domain, config.Range, config.Peers
	n, err := dds.Join(ctx, node)
	if err != nil {
		return nil, fmt.Errorf("join ROS 2: %w", err)
	}
	node.Log.Info().Int("domain", config.Domain).Str("node", n.FullName()).Msg("joined ROS 2")
	return n, nil
}

// run keeps topics and services in ROS 2 in line with those in ROS 1 until ctx ends.
func (m *Mirror) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.change:
			m.reconcile()
		}
	}
}

func (m *Mirror) reconcile() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reconcileTopics()
	m.reconcileServices()
	m.reconcileParameters()
}

// reconcileTopics publishes the topics of ROS 1, and no others, and taps those that have subscribers. The caller
// holds mu.
func (m *Mirror) reconcileTopics() {
	there := map[string]bool{}
	for _, p := range m.from.Publications() {
		there[p.Topic] = true
		t, known := m.topics[p.Topic]
		if known && t != nil && t.md5 != p.Type.MD5 {
			m.closeTopic(t)
			known = false
		}
		if !known {
			var err error
			if t, err = m.open(p); err != nil {
				m.log.Warn().Str("topic", p.Topic).Msg("not published in ROS 2: " + err.Error())
			}
			m.topics[p.Topic] = t
		}
	}
	for name, t := range m.topics {
		if !there[name] {
			m.closeTopic(t)
			delete(m.topics, name)
		}
	}
	for _, t := range m.topics {
		t.follow()
	}
}

// open advertises a topic in ROS 2. It returns nil for a topic that doesn't belong there.
func (m *Mirror) open(p ros.Publication) (*topic, error) {
	name := m.nameOf(p.Topic)
	if name == "" || strings.HasPrefix(p.Type.Name, "dynamic_reconfigure/") {
		return nil, nil //nolint:nilnil // nothing to do isn't an error
	}
	return openTopic(m.to, name, p, qosOf(m.qos, name, p), m.change.Set, m.tap, m.log)
}

// tap publishes what the node publishes in ROS 1.
func (m *Mirror) tap(t *topic) (stop func(), err error) {
	tap, err := m.from.TapWait(t.name, t.publish, t.publishWait)
	if err != nil {
		return nil, err
	}
	return tap.Close, nil
}

// digit finds parts of names that begin with a digit, which ROS 2 doesn't allow.
var digit = regexp.MustCompile(`/(\d)`)

// allowed returns a name of ROS 1 as ROS 2 allows it.
func allowed(name string) string { return digit.ReplaceAllString(name, "/_$1") }

// nameOf returns the name in ROS 2 of a topic or service, or "". What is below the node is there below its name in ROS
// 2.
func (m *Mirror) nameOf(name string) string {
	if own, ok := strings.CutPrefix(name, m.from.Name()+"/"); ok {
		name = m.to.FullName() + "/" + own
	} else {
		name = allowed(m.rename(name))
	}
	return cmp.Or(m.remaps[name], name)
}

// expand makes the names of remaps absolute.
func (m *Mirror) expand(remaps map[string]string) map[string]string {
	full := func(name string) string {
		switch {
		case strings.HasPrefix(name, "/"):
			return name
		case strings.HasPrefix(name, "~"):
			return m.to.FullName() + "/" + strings.TrimPrefix(name[1:], "/")
		}
		return path.Join(path.Dir(m.to.FullName()), name)
	}
	list := map[string]string{}
	for from, to := range remaps {
		list[full(from)] = full(to)
	}
	return list
}

// closeTopic closes a topic unless it is nil, and keeps its losses.
func (m *Mirror) closeTopic(t *topic) {
	if t != nil {
		m.lost = append(m.lost, t.losses()...)
		t.close()
	}
}

// Serve serves a service in ROS 2 alone until Close. See dds.Handler.
func (m *Mirror) Serve(name, typ string, h dds.Handler) error {
	if m == nil {
		return nil
	}
	_, err := m.to.Serve(name, typ, h)
	return err
}

// discovery is the time in which a node finds those that are there.
const discovery = time.Second

// Ready waits until the topics are published and had the time to be found.
func (m *Mirror) Ready(ctx context.Context) error {
	if m == nil {
		return nil
	}
	m.reconcile()
	timer := time.NewTimer(time.Until(m.joined.Add(discovery)))
	defer timer.Stop()
	select {
	case <-timer.C:
		m.reconcile() // taps for subscribers that were just found
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Drain waits until all present subscribers have all messages.
func (m *Mirror) Drain(ctx context.Context) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.topics {
		if t == nil {
			continue
		}
		if err := t.out.Flush(ctx); err != nil {
			return fmt.Errorf("%s in ROS 2: %w", t.out.Topic(), err)
		}
	}
	return nil
}

// Loss is what a slow subscriber of a topic lost.
type Loss struct {
	Topic, Subscriber string
	Messages          uint64
}

// Compare orders losses by topic and subscriber.
func (l Loss) Compare(other Loss) int {
	return cmp.Or(strings.Compare(l.Topic, other.Topic), strings.Compare(l.Subscriber, other.Subscriber))
}

// Lost returns what slow subscribers lost, including those of topics that were closed.
func (m *Mirror) Lost() []Loss {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.Clone(m.lost)
	for _, t := range m.topics {
		if t != nil {
			list = append(list, t.losses()...)
		}
	}
	slices.SortFunc(list, Loss.Compare)
	return list
}

// Close leaves ROS 2.
func (m *Mirror) Close() {
	if m == nil {
		return
	}
	m.stop()
	m.mu.Lock()
	for _, t := range m.topics {
		m.closeTopic(t)
	}
	for _, s := range m.services {
		s.Close()
	}
	m.topics, m.services = nil, nil
	m.mu.Unlock()
	m.to.Close()
}
