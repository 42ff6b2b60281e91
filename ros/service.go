package ros

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rsros/msgs"
	"rsros/program/buffers"
	"rsros/program/recvbuf"
	"rsros/ros/internal/wire"
	"rsros/ros/rosapi"
)

// ServiceHandler answers one request. req is valid until it returns. ctx ends when
// the caller hangs up or the node is closed. An error's text is sent to the caller.
type ServiceHandler func(ctx context.Context, req []byte) (resp []byte, err error)

// ServiceServer is a service that a node offers.
type ServiceServer struct {
	node         *Node
	name         string
	service      msgs.Service
	handler      ServiceHandler
	limit        int64  // of a request, in bytes
	exact        bool   // all requests have size limit
	leftTo       string // the node that provides it instead; used by the registrar
	registration *rosapi.Registration
}

// serviceCounts are the totals of a node's services.
type serviceCounts struct{ requests, received, sent atomic.Uint64 }

// AdvertiseService offers a service. The master gives a name to the last node that registers it, so a service that
// another node provides and answers is left to it as long as it does. Requests of different connections are handled
// concurrently. A request must have the size of its type or, if the type has no fixed
// size, at most 1 MiB; others are refused before they are read.
func (n *Node) AdvertiseService(name string, service msgs.Service, handler ServiceHandler) (*ServiceServer, error) {
	full, err := n.Resolve(name)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	call := func() {}
	defer func() {
		n.mu.Unlock()
		call()
	}()
	if n.closed {
		return nil, ErrClosed
	}
	if n.services[full] != nil {
		return nil, fmt.Errorf("service %s is offered by this node already", full)
	}
	call = n.onOffers
	s := &ServiceServer{node: n, name: full, service: service, handler: handler}
	s.limit, s.exact = requestSize(service.Request)
	n.services[full] = s
	uri := "rosrpc://" + net.JoinHostPort(n.host, fmt.Sprint(port(n.listener)))
	s.registration = &rosapi.Registration{Kind: rosapi.Service, Name: full, Detail: uri, Free: s.free}
	n.registrar.Add(s.registration)
	return s, nil
}

const providerTime = 2 * time.Second

// free reports whether no other node provides the service and answers.
func (s *ServiceServer) free(ctx context.Context) bool {
	n := s.node
	if strings.HasPrefix(s.name, n.Name()+"/") {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, providerTime)
	defer cancel()
	by, err := n.ServiceProvider(ctx, s.name)
	if err != nil || by == n.Name() {
		by = ""
	}
	if by != "" && by != s.leftTo {
		n.log.Warn().Str("service", s.name).Str("node", by).
			Msg("another node provides this service and keeps it; it's offered when that node leaves")
	}
	s.leftTo = by
	return by == ""
}

// Close withdraws the service. A request that is being handled is still answered.
func (s *ServiceServer) Close() {
	n := s.node
	n.mu.Lock()
	call := n.onOffers
	if n.services[s.name] == s {
		delete(n.services, s.name)
		n.registrar.Remove(s.registration)
	}
	n.mu.Unlock()
	call()
}

// Name returns the resolved name.
func (s *ServiceServer) Name() string { return s.name }

// Type returns the service's type.
func (s *ServiceServer) Type() msgs.Service { return s.service }

// Handle answers a request as for a caller of the service.
func (s *ServiceServer) Handle(ctx context.Context, req []byte) ([]byte, error) {
	return s.handler(ctx, req)
}

// Services returns the services that this node offers.
func (n *Node) Services() []*ServiceServer {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Collect(maps.Values(n.services))
}

// serveService runs a caller's connection after its header was read: one request, or
// any number if the caller asked for a persistent connection.
func (n *Node) serveService(conn net.Conn, h Header) error {
	n.mu.Lock()
	s := n.services[h[wire.KeyService]]
	n.mu.Unlock()
	if s == nil {
		return refuse(conn, "no service ["+h[wire.KeyService]+"] in this node")
	}
	if !matches(h[wire.KeyMD5], s.service.MD5) {
		return refuse(conn, fmt.Sprintf("service %s is of type [%s] with md5sum [%s]; %s has [%s]",
			s.name, s.service.Name, s.service.MD5, h[wire.KeyCallerID], h[wire.KeyMD5]))
	}
	reply := Header{wire.KeyCallerID: n.Name(), wire.KeyService: s.name,
		wire.KeyType: s.service.Name, wire.KeyMD5: s.service.MD5,
		"request_type": s.service.Request.Name, "response_type": s.service.Response.Name}
	if _, err := conn.Write(reply.AppendTo(nil)); err != nil || h[wire.KeyProbe] == "1" {
		return err
	}
	r := bufio.NewReader(conn)
	if h[wire.KeyPersistent] != "1" {
		return s.answer(conn, r)
	}
	peer := hostOf(conn.RemoteAddr())
	if !n.persistent.add(peer, maxPersistent) {
		return refuse(conn, fmt.Sprintf("%d persistent service connections from %s are open already", maxPersistent, peer))
	}
	defer n.persistent.remove(peer)
	for {
		if err := conn.SetDeadline(time.Time{}); err != nil {
			return err
		}
		if err := s.answer(conn, r); err != nil {
			return err
		}
	}
}

const (
	// maxPersistent is the limit of persistent service connections of one host. They
	// have no deadline between calls, because roscpp doesn't reconnect.
	maxPersistent = 64
	// maxRequest is the size limit in bytes of requests without a fixed size.
	maxRequest = 1 << 20
	// requestTime is how long a request may take to arrive, and a response to be sent.
	requestTime = 30 * time.Second
)

// requestSize returns the size limit of requests, and whether all have that size.
func requestSize(t msgs.Type) (limit int64, exact bool) {
	if t.MD5 != "" {
		if spec, err := msgs.Parse(t.Name, t.Definition); err == nil {
			if size, fixed := spec.FixedSize(); fixed {
				return size, true
			}
		}
	}
	return maxRequest, false
}

// answer reads a request (u32 length, bytes) and writes the answer: a byte, 1 or 0,
// followed by the response or the error's text in the same form.
func (s *ServiceServer) answer(conn net.Conn, r *bufio.Reader) error {
	var prefix [4]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return err
	}
	if err := conn.SetDeadline(time.Now().Add(requestTime)); err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(prefix[:]))
	if size > s.limit || s.exact && size != s.limit {
		return s.reply(conn, 0, nil,
			fmt.Errorf("request of %d bytes, want %s%d", size, map[bool]string{false: "at most "}[s.exact], s.limit), true)
	}
	req, err := buffers.PeerInput.Read(r, int(size), s.limit, 1)
	if errors.Is(err, buffers.ErrExhausted) {
		return s.reply(conn, size, nil, err, true)
	}
	if err != nil {
		return err
	}
	defer req.Close()
	resp, err := s.handle(conn, r, req.Bytes)
	if derr := conn.SetDeadline(time.Now().Add(requestTime)); derr != nil {
		return derr
	}
	return s.reply(conn, size, resp, err, false)
}

// handle calls the handler, and ends its context when the caller hangs up. The first byte of a next request stays in r.
func (s *ServiceServer) handle(conn net.Conn, r *bufio.Reader, req []byte) ([]byte, error) {
	ctx, cancel := context.WithCancel(s.node.ctx)
	defer cancel()
	conn.SetReadDeadline(time.Time{}) //nolint:errcheck // a closed connection shows in the read
	var watching sync.WaitGroup
	watching.Go(func() {
		if _, err := r.Peek(1); err != nil {
			cancel()
		}
	})
	defer watching.Wait()
	defer conn.SetReadDeadline(time.Unix(1, 0)) //nolint:errcheck // so
	return s.handler(ctx, req)
}

// reply writes a response or an error. With hangUp it returns an error in any case,
// because the caller's next bytes can't be interpreted.
func (s *ServiceServer) reply(conn net.Conn, received int64, resp []byte, failed error, hangUp bool) error {
	ok := byte(1)
	if failed != nil {
		ok, resp = 0, []byte(failed.Error())
	}
	counts := &s.node.serviceCounts
	counts.requests.Add(1)
	counts.received.Add(uint64(received))
	counts.sent.Add(uint64(len(resp)))
	_, err := conn.Write(wire.AppendSized([]byte{ok}, resp))
	if hangUp && err == nil {
		err = failed
	}
	return err
}

var errNoProvider = errors.New("no node provides it")

// CallService calls a service on a connection of its own. An MD5 of "*" matches every type.
func (n *Node) CallService(ctx context.Context, name string, service msgs.Service, req []byte) ([]byte, error) {
	ctx, cancel := n.untilClosed(ctx)
	defer cancel()
	resp, err := n.callService(ctx, name, service, req)
	if err != nil {
		return nil, fmt.Errorf("call service %s: %w", name, cmp.Or(ctx.Err(), err))
	}
	return resp, nil
}

func (n *Node) callService(ctx context.Context, name string, service msgs.Service, req []byte) ([]byte, error) {
	conn, _, _, err := n.connectService(ctx, name, Header{wire.KeyMD5: service.MD5, wire.KeyType: service.Name})
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(wire.AppendSized(nil, req)); err != nil {
		return nil, err
	}
	var ok [1]byte
	if _, err := io.ReadFull(conn, ok[:]); err != nil {
		return nil, err
	}
	r := wire.NewMessageReader(conn)
	size, err := r.Next()
	if err != nil {
		return nil, err
	}
	if size > n.cfg.MaxMessage {
		return nil, fmt.Errorf("message of %d bytes, the limit is %d", size, n.cfg.MaxMessage)
	}
	var resp recvbuf.Buffer
	if err = r.Read(int(size), &resp); err == nil && ok[0] == 0 {
		err = errors.New(string(resp.Data))
	}
	return resp.Data, err
}

// ProbeService asks the provider of a service for its type and md5sum. Providers don't send definitions.
func (n *Node) ProbeService(ctx context.Context, name string) (typ, md5 string, err error) {
	_, h, err := n.probeService(ctx, name)
	if err != nil {
		return "", "", fmt.Errorf("probe service %s: %w", name, err)
	}
	return h[wire.KeyType], h[wire.KeyMD5], nil
}

// ServiceProvider returns the name of the node that provides a service, or "" if there is none or it doesn't answer (a
// killed node stays registered). If several nodes offer a service, the last one to register provides it.
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
	ctx, cancel := n.untilClosed(ctx)
	defer cancel()
	_, h, uri, err = n.connectService(ctx, name, Header{wire.KeyMD5: "*", wire.KeyProbe: "1"})
	return uri, h, err
}

// connectService asks the master for the address of a service and connects to it. It adds the names to
// the header. The connection is closed when ctx ends. uri is empty if the master doesn't name one.
func (n *Node) connectService(ctx context.Context, name string, h Header) (conn net.Conn,
	answer Header, uri string, err error) {
	full, err := n.Resolve(name)
	if err != nil {
		return nil, nil, "", err
	}
	found, err := n.CallMaster(ctx, "lookupService", full)
	if _, refused := errors.AsType[*rosapi.Error](err); refused {
		err = errNoProvider
	}
	if err != nil {
		return nil, nil, "", err
	}
	uri, _ = found.(string)
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "rosrpc" || u.Port() == "" {
		return nil, nil, uri, fmt.Errorf("the master answers %q, want rosrpc://host:port", uri)
	}
	h[wire.KeyCallerID], h[wire.KeyService] = n.Name(), full
	conn, answer, err = wire.Connect(ctx, u.Host, h)
	return conn, answer, uri, err
}
