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
	topics   cache[ros.Publication]
	services cache[msgs.Service]
}

// cache has answers by the name of a topic or service.
type cache[T any] map[string]probe[T]

// probe is an answer of some nodes.
type probe[T any] struct {
	of   []string
	got  T
	err  error
	when time.Time
}

const (
	probeTime  = 2 * time.Second
	retryAfter = 10 * time.Second
)

// get returns the answer of publishers or providers. It asks if they are others than before, or if the
// last answer was an error retryAfter ago.
func (c cache[T]) get(name string, of []string, ask func() (T, error)) (T, error) {
	p, asked := c[name]
	if !asked || !slices.Equal(p.of, of) || p.err != nil && time.Since(p.when) >= retryAfter {
		p = probe[T]{of: of, when: time.Now()}
		p.got, p.err = ask()
		c[name] = p
	}
	return p.got, p.err
}

func newProbes(n *graph.Node) *probes {
	return &probes{n, make(cache[ros.Publication]), make(cache[msgs.Service])}
}

var errNoDefinition = errors.New("its publisher sends no definition of its type")

// topic asks the publishers of a topic in turn and uses the first answer. Publishers of another
// type are refused later, when connecting.
func (p *probes) topic(ctx context.Context, name string, publishers []string) (ros.Publication, error) {
	return p.topics.get(name, publishers, func() (found ros.Publication, err error) {
		err = errors.New("nobody publishes it")
		for _, node := range publishers {
			limited, cancel := context.WithTimeout(ctx, probeTime)
			found, err = p.node.ProbeTopic(limited, node, name)
			cancel()
			if err == nil {
				return found, define(&found.Type)
			}
		}
		return found, err
	})
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
	s, _ := p.services.get(name, providers, func() (msgs.Service, error) {
		limited, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		typ, md5, err := p.node.ProbeService(limited, name)
		if known, ok := msgs.LookupService(typ); ok && err == nil && known.MD5 == md5 {
			return known, nil
		}
		return msgs.Service{}, err
	})
	return s, s.MD5 != ""
}
