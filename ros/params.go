package ros

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rsros/program/work"
	"rsros/ros/names"
	"rsros/ros/rosapi"
)

// Param returns a parameter, or false if it isn't set. A tree of parameters is a map[string]any.
//
// Calls to the parameter server end when ctx ends, when the node is closed, or after ten seconds without an answer.
func (n *Node) Param(ctx context.Context, name string) (any, bool, error) {
	_, value, err := n.paramCall(ctx, "getParam", name)
	if _, refused := errors.AsType[*rosapi.Error](err); refused {
		return nil, false, nil
	}
	return value, err == nil, err
}

// SetParam sets a parameter to a bool, a number of 32 bits, a string, a []byte, a time.Time, a []any or a
// map[string]any.
func (n *Node) SetParam(ctx context.Context, name string, value any) error {
	value, err := paramValue(value)
	if err != nil {
		return fmt.Errorf("parameter %s: %w", name, err)
	}
	full, _, err := n.paramCall(ctx, "setParam", name, value)
	if err == nil {
		n.paramChanged(full, value) // the master doesn't notify the node that set it
	}
	return err
}

// DeleteParam deletes a parameter or a tree.
func (n *Node) DeleteParam(ctx context.Context, name string) error {
	_, _, err := n.paramCall(ctx, "deleteParam", name)
	return err
}

// paramCall calls a method that takes a parameter's name, and returns the resolved name and the answer.
func (n *Node) paramCall(ctx context.Context, method, name string, args ...any) (full string, value any, err error) {
	if full, err = n.Resolve(name); err != nil {
		return "", nil, err
	}
	if len(n.cfg.PrivateParams) > 0 && !n.paramsSet.Load() { // the registrar hasn't set them yet
		ctx, cancel := n.untilClosed(ctx)
		defer cancel()
		if err := n.setPrivateParams(ctx); err != nil {
			return "", nil, err
		}
	}
	value, err = n.CallMaster(ctx, method, append([]any{full}, args...)...)
	return full, value, err
}

// CallMaster calls a method of the master and returns the value of its answer.
func (n *Node) CallMaster(ctx context.Context, method string, args ...any) (any, error) {
	ctx, cancel := n.untilClosed(ctx)
	defer cancel()
	return n.caller.Call(ctx, n.cfg.MasterURI, method, args...)
}

// SystemState asks the master for the names of nodes by topic or service.
func (n *Node) SystemState(ctx context.Context) (rosapi.SystemState, error) {
	ctx, cancel := n.untilClosed(ctx)
	defer cancel()
	return n.caller.SystemState(ctx, n.cfg.MasterURI)
}

// LookupNodes asks the master for the URIs of nodes, by name. Those that it doesn't know are left out.
func (n *Node) LookupNodes(ctx context.Context, names []string) (map[string]string, error) {
	ctx, cancel := n.untilClosed(ctx)
	defer cancel()
	return n.caller.LookupNodes(ctx, n.cfg.MasterURI, names)
}

// ParamSubscription reports changes of a parameter until Close.
type ParamSubscription struct {
	node         *Node
	name         string
	callback     func(any)
	registration *rosapi.Registration
	stop         func() // waits for the last callback
	wake         work.Signal

	mu      sync.Mutex
	pending bool
	value   any
	reread  bool // part of the tree changed: fetch the value from the master
}

// SubscribeParam calls callback with the parameter's value once the master has answered, and after each change. The
// value is nil if the parameter isn't set. Calls never overlap. Of several changes in quick succession, only the last
// may be reported. The callback must not close the subscription.
func (n *Node) SubscribeParam(name string, callback func(any)) (*ParamSubscription, error) {
	full, err := n.Resolve(name)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, ErrClosed
	}
	p := &ParamSubscription{node: n, name: full, callback: callback, wake: work.NewSignal()}
	p.stop = work.Run(n.ctx, p.run)
	if at := slices.IndexFunc(n.params, p.sameName); at >= 0 { // the master has been asked for it
		p.registration = n.params[at].registration
		p.post(nil, true)
	} else {
		p.registration = &rosapi.Registration{Kind: rosapi.ParamSubscription, Name: full, Register: p.register}
		n.registrar.Add(p.registration)
	}
	n.params = append(n.params, p)
	return p, nil
}

func (p *ParamSubscription) sameName(other *ParamSubscription) bool { return p.name == other.name }

// Close ends the subscription. It returns after the last callback has returned.
func (p *ParamSubscription) Close() {
	n := p.node
	n.mu.Lock()
	if at := slices.Index(n.params, p); at >= 0 {
		n.params = slices.Delete(n.params, at, at+1)
		if !slices.ContainsFunc(n.params, p.sameName) {
			n.registrar.Remove(p.registration)
		}
	}
	n.mu.Unlock()
	p.stop()
}

// register passes the master's answer, the current value, to all subscriptions of the parameter.
func (p *ParamSubscription) register() (answered func(any) error) {
	n := p.node
	return func(value any) error {
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, s := range n.params {
			if s.sameName(p) {
				s.post(value, false)
			}
		}
		return nil
	}
}

func (p *ParamSubscription) post(value any, reread bool) {
	p.mu.Lock()
	p.pending, p.value, p.reread = true, value, reread
	p.mu.Unlock()
	p.wake.Set()
}

func (p *ParamSubscription) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		p.mu.Lock()
		pending, value, reread := p.pending, p.value, p.reread
		p.pending, p.value = false, nil
		p.mu.Unlock()
		if reread {
			var err error
			if value, _, err = p.node.Param(ctx, p.name); err != nil {
				p.node.log.Debug().Err(err).Str("param", p.name).Msg("can't read a parameter that changed")
				continue
			}
		}
		if pending && ctx.Err() == nil {
			p.callback(unset(value))
		}
	}
}

// unset returns nil for the empty tree, the server's form of an unset parameter.
func unset(value any) any {
	if tree, ok := value.(map[string]any); ok && len(tree) == 0 {
		return nil
	}
	return value
}

// paramUpdate handles the master's notification of a changed parameter. The key ends
// in '/' and is the subscribed name or one below it.
func (n *Node) paramUpdate(_ string, args []any) (any, error) {
	key, ok := args[0].(string)
	if !ok || !strings.HasPrefix(key, "/") {
		return nil, fmt.Errorf("parameter %v isn't a global name", args[0])
	}
	if key = names.Clean(key); !n.paramChanged(key, args[1]) {
		return nil, fmt.Errorf("this node isn't subscribed to parameter %s", key)
	}
	return 0, nil
}

// paramChanged notifies subscriptions of the parameter and of trees that contain it.
func (n *Node) paramChanged(key string, value any) (subscribed bool) {
	n.mu.Lock()
	subscriptions := slices.Clone(n.params)
	n.mu.Unlock()
	for _, p := range subscriptions {
		switch {
		case p.name == key:
			p.post(value, false)
		case p.name == "/" || strings.HasPrefix(key, p.name+"/"):
			p.post(nil, true)
		default:
			continue
		}
		subscribed = true
	}
	return subscribed
}
