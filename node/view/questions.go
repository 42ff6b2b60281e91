package view

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rsros/msgs"
	"rsros/ros"
)

// question is about a topic or a service of the node at a URI. An answer holds as long as the node has its address: one
// that restarts is asked again.
type question struct {
	uri, name string
	service   bool
}

type answer struct {
	topic   ros.Publication
	service msgs.Service
}

// ask asks a question. Providers of services don't send definitions, so only services of known types can be called.
func (f *follower) ask(ctx context.Context, q question) (a answer, err error) {
	if q.service {
		typ, md5, err := f.node.ProbeService(ctx, q.name)
		if known, ok := msgs.LookupService(typ); ok && err == nil && known.MD5 == md5 {
			a.service = known
		}
		return a, err
	}
	if a.topic, err = f.node.ProbeTopic(ctx, q.uri, q.name); err == nil {
		return a, define(&a.topic.Type)
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("its node at %s doesn't answer", q.uri)
	}
	return a, err
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
