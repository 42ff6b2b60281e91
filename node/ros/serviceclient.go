package ros

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"rsros/msgs"
	"rsros/node/ros/internal/wire"
	"rsros/node/ros/rosapi"
)

var errNoProvider = errors.New("no node provides it")

// CallService calls a service on a connection of its own. An MD5 of "*" matches every
// type.
func (n *Node) CallService(ctx context.Context, name string, service msgs.Service, req []byte) ([]byte, error) {
	ctx, cancel := n.whileOpen(ctx)
	defer cancel()
	resp, err := n.callService(ctx, name, service, req)
	if err != nil {
		return nil, fmt.Errorf("call service %s: %w", name, cmp.Or(ctx.Err(), err))
	}
	return resp, nil
}

func (n *Node) callService(ctx context.Context, name string, service msgs.Service, req []byte) ([]byte, error) {
	full, uri, err := n.lookUpService(ctx, name)
	if err != nil {
		return nil, err
	}
	conn, err := wire.DialService(ctx, uri)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // the answer has been read
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	h := Header{wire.KeyCallerID: n.Name(), wire.KeyService: full, wire.KeyMD5: service.MD5, wire.KeyType: service.Name}
	if _, err := wire.Exchange(conn, h); err != nil {
		return nil, err
	}
	if _, err := conn.Write(wire.AppendSized(nil, req)); err != nil {
		return nil, err
	}
	ok, err := wire.ReadGrowing(conn, nil, 1)
	if err != nil {
		return nil, err
	}
	resp, err := wire.ReadSized(conn, n.cfg.MaxMessage)
	if err == nil && ok[0] == 0 {
		err = errors.New(string(resp))
	}
	return resp, err
}

// ProbeService asks the provider of a service for its type and md5sum. Providers
// don't send definitions.
func (n *Node) ProbeService(ctx context.Context, name string) (typ, md5 string, err error) {
	_, h, err := n.probeService(ctx, name)
	if err != nil {
		return "", "", fmt.Errorf("probe service %s: %w", name, err)
	}
	return h[wire.KeyType], h[wire.KeyMD5], nil
}

// ServiceProvider returns the name of the node that provides a service, or "" if there
// is none or it doesn't answer (a killed node stays registered). If several nodes offer
// a service, the last one to register provides it.
func (n *Node) ServiceProvider(ctx context.Context, name string) (string, error) {
	uri, h, err := n.probeService(ctx, name)
	if uri == "" && !errors.Is(err, errNoProvider) {
		return "", err
	}
	if err != nil {
		return "", nil
	}
	return cmp.Or(h[wire.KeyCallerID], uri), nil
}

func (n *Node) probeService(ctx context.Context, name string) (uri string, h Header, err error) {
	ctx, cancel := n.whileOpen(ctx)
	defer cancel()
	full, uri, err := n.lookUpService(ctx, name)
	if err == nil {
		h, err = wire.Probe(ctx, uri, n.Name(), full)
	}
	return uri, h, err
}

func (n *Node) lookUpService(ctx context.Context, name string) (full, uri string, err error) {
	if full, err = n.Resolve(name); err != nil {
		return "", "", err
	}
	answer, err := n.CallMaster(ctx, "lookupService", full)
	if _, refused := errors.AsType[*rosapi.Error](err); refused {
		err = errNoProvider
	}
	uri, _ = answer.(string)
	return full, uri, err
}
