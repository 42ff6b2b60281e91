package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/graph"
)

// probes caches the answers of other nodes about their topics and services. It is used by one
// goroutine.
type probes struct {
	node     *graph.Node
	topics   map[string]probe[ros.Publication]
	services map[string]probe[msgs.Service]
}

// probe is an answer of some nodes.
type probe[T any] struct {
	of   []string
	got  T
	err  error
	when time.Time
}

// valid reports whether the probe is valid: the publishers or providers are the same, and if it
// failed, retryAfter hasn't passed.
func (p probe[T]) valid(of []string) bool {
	return !p.when.IsZero() && slices.Equal(p.of, of) && (p.err == nil || time.Since(p.when) < retryAfter)
}

const (
	probeTime  = 2 * time.Second
	retryAfter = 10 * time.Second
)

func newProbes(n *graph.Node) *probes {
	return &probes{n, make(map[string]probe[ros.Publication]), make(map[string]probe[msgs.Service])}
}

var errNoDefinition = errors.New("its publisher sends no definition of its type")

// topic asks the publishers of a topic in turn and uses the first answer. Publishers of another
// type are refused later, when connecting.
func (p *probes) topic(ctx context.Context, name string, publishers []string) (ros.Publication, error) {
	if old := p.topics[name]; old.valid(publishers) {
		return old.got, old.err
	}
	now := probe[ros.Publication]{of: publishers, err: errors.New("nobody publishes it"), when: time.Now()}
	for _, node := range publishers {
		limited, cancel := context.WithTimeout(ctx, probeTime)
		now.got, now.err = p.node.ProbeTopic(limited, node, name)
		cancel()
		if now.err == nil {
			now.err = define(&now.got.Type)
			break
		}
	}
	p.topics[name] = now
	return now.got, now.err
}

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

// service asks the provider of a service for its type. Providers don't send definitions, so
// only services of known types can be called.
func (p *probes) service(ctx context.Context, name string, providers []string) (msgs.Service, bool) {
	if old := p.services[name]; old.valid(providers) {
		return old.got, old.got.MD5 != ""
	}
	now := probe[msgs.Service]{of: providers, when: time.Now()}
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var typ, md5 string
	if typ, md5, now.err = p.node.ProbeService(limited, name); now.err == nil {
		if known, ok := msgs.LookupService(typ); ok && known.MD5 == md5 {
			now.got = known
		}
	}
	p.services[name] = now
	return now.got, now.got.MD5 != ""
}
