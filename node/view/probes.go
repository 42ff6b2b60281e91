package view

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/graph"
)

const (
	probeTime  = 2 * time.Second
	retryAfter = 10 * time.Second
	// maxProbed is how many nodes are asked at once.
	maxProbed = 16
	// gatherTime is how long further answers are waited for before the first one is shown.
	gatherTime = 100 * time.Millisecond
)

// probes has the answers of other nodes about their topics and services. Nodes are asked side by side, each about one
// thing after the other. An answer holds as long as the node has its address: one that restarts is asked again. The
// methods are called by one goroutine, the follower's.
type probes struct {
	node    *graph.Node
	answers map[question]answer
	used    map[question]answer   // since the last start; the others are forgotten then
	wanted  map[string][]question // what isn't answered, by URI
	busy    map[string]bool       // URIs of nodes that are being asked
	results chan result
	slots   chan struct{}
}

// question is about a topic or a service of the node at a URI.
type question struct {
	uri, name string
	service   bool
}

type answer struct {
	topic   ros.Publication
	service msgs.Service
	err     error
	when    time.Time
}

// result is the answer to a question or, without a name, the end of a node's answers.
type result struct {
	question
	answer
}

func newProbes(n *graph.Node) *probes {
	return &probes{node: n, used: make(map[question]answer), wanted: make(map[string][]question), busy: make(map[string]bool),
		results: make(chan result), slots: make(chan struct{}, maxProbed)}
}

// get returns an answer, if there is one. Otherwise, and if it is an error retryAfter ago, start asks for it.
func (p *probes) get(q question) (answer, bool) {
	a, known := p.answers[q]
	if known {
		p.used[q] = a
	}
	if (!known || a.err != nil && time.Since(a.when) >= retryAfter) && !p.busy[q.uri] {
		p.wanted[q.uri] = append(p.wanted[q.uri], q)
	}
	return a, known
}

// start asks for what get didn't find. run starts a goroutine.
func (p *probes) start(ctx context.Context, run func(func())) {
	for uri, list := range p.wanted {
		p.busy[uri] = true
		run(func() { p.ask(ctx, uri, list) })
	}
	clear(p.wanted)
	p.answers, p.used = p.used, make(map[question]answer)
}

// gather takes an answer, and those that follow in gatherTime or until no node is being asked.
func (p *probes) gather(r result) {
	for late := time.After(gatherTime); ; {
		if r.name != "" {
			p.answers[r.question] = r.answer
		} else if delete(p.busy, r.uri); len(p.busy) == 0 {
			return
		}
		select {
		case r = <-p.results:
		case <-late:
			return
		}
	}
}

// ask asks a node. If it doesn't answer one question in time, it isn't asked the others.
func (p *probes) ask(ctx context.Context, uri string, list []question) {
	send := func(r result) {
		select {
		case p.results <- r:
		case <-ctx.Done():
		}
	}
	defer send(result{question: question{uri: uri}})
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return
	}
	var silent error
	for _, q := range list {
		a := answer{err: silent}
		if silent == nil {
			limited, cancel := context.WithTimeout(ctx, probeTime)
			if a = p.probe(limited, q); a.err != nil && limited.Err() != nil {
				silent = fmt.Errorf("its node at %s doesn't answer", uri)
				a.err = silent
			}
			cancel()
		}
		a.when = time.Now()
		send(result{q, a})
	}
}

// probe asks a question. Providers of services don't send definitions, so only services of known types can be called.
func (p *probes) probe(ctx context.Context, q question) (a answer) {
	if !q.service {
		if a.topic, a.err = p.node.ProbeTopic(ctx, q.uri, q.name); a.err == nil {
			a.err = define(&a.topic.Type)
		}
		return a
	}
	typ, md5, err := p.node.ProbeService(ctx, q.name)
	if known, ok := msgs.LookupService(typ); ok && err == nil && known.MD5 == md5 {
		a.service = known
	}
	a.err = err
	return a
}

var errNoDefinition = errors.New("its publisher sends no definition of its type")

// define completes a type whose publisher sent no definition, as some do.
func define(t *msgs.Type) error {
	if !strings.Contains(t.Name, "/") || t.MD5 == "" {
		return fmt.Errorf("its type is %q [%s]", t.Name, t.MD5)
	}
	if t.Definition != "" || t.MD5 == msgs.EmptyMD5 {
		return nil
	}
	known, ok := msgs.Lookup(t.Name)
	if !ok || known.MD5 != t.MD5 {
		return errNoDefinition
	}
	t.Definition = known.Definition
	return nil
}
