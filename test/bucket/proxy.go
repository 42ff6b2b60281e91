package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"rsros/test/need"
)

// Fault is what a proxy does to a request.
type Fault int

// The faults.
const (
	None        Fault = iota
	Reset             // the connection is closed
	Busy              // 503
	Expired           // credentials that have expired
	Stall             // no answer until the client gives up
	Deaf              // nothing of the body is read until the test ends
	StallInside       // nothing follows the first half of the body
	Cut               // the body ends in the middle
	WrongRange        // another range than the one asked for
	NoRange           // the answer doesn't say which range it is
	Elsewhere         // a redirect to another host
)

// Request is a request that went through a proxy.
type Request struct {
	Method, Path, Range string
	Bytes               int64 // of the answer's body
}

// Proxy passes requests on to a server. Its fields may be set between requests.
type Proxy struct {
	URL string
	to  *url.URL
	t   testing.TB

	mu    sync.Mutex
	fault func(r *http.Request, n int) Fault
	link  link
	log   []*Request
}

// NewProxy starts a proxy that ends with the test.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	to, err := url.Parse(server)
	need.Must(t, err)
	p := &Proxy{to: to, t: t}
	s := httptest.NewServer(http.HandlerFunc(p.serve))
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// Inject sets what happens to requests by number, from 1.
func (p *Proxy) Inject(fault func(r *http.Request, n int) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.log = fault, nil
}

// Link makes all answers share a rate, in bytes a second, and delays each request; 0: no limit.
func (p *Proxy) Link(rate int64, latency time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.link.rate, p.link.latency = rate, latency
}

// Halt stops all answers until resume.
func (p *Proxy) Halt() (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	halted := make(chan struct{})
	p.link.halted = halted
	return sync.OnceFunc(func() { close(halted) })
}

// link is shared by all answers.
type link struct {
	rate    int64
	latency time.Duration
	free    time.Time     // when the bytes so far have gone over it
	halted  chan struct{} // answers wait until it is closed; nil: they don't
}

// linkQueue is the length of a link's queues, in time, so that a program that wakes up late loses
// nothing.
const linkQueue = 10 * time.Millisecond

// pass waits until n bytes have passed the link.
func (p *Proxy) pass(ctx context.Context, n int) {
	p.mu.Lock()
	l := &p.link
	halted, until := l.halted, time.Now()
	if l.rate > 0 {
		if idle := until.Add(-linkQueue); l.free.Before(idle) {
			l.free = idle
		}
		l.free = l.free.Add(time.Duration(n) * time.Second / time.Duration(l.rate))
		until = l.free
	}
	p.mu.Unlock()
	if halted != nil {
		select {
		case <-halted:
		case <-ctx.Done():
		}
	}
	time.Sleep(time.Until(until))
}

// Forget empties the log.
func (p *Proxy) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = nil
}

// Requests returns the requests since Forget.
func (p *Proxy) Requests() (list []Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.log {
		list = append(list, *r)
	}
	return list
}

// Bytes returns the number of requests since Forget, and the bytes of their answers.
func (p *Proxy) Bytes() (requests int, bytes int64) {
	for _, r := range p.Requests() {
		requests++
		bytes += r.Bytes
	}
	return requests, bytes
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	entry := &Request{Method: r.Method, Path: r.URL.Path, Range: r.Header.Get("Range")}
	p.mu.Lock()
	p.log = append(p.log, entry)
	latency := p.link.latency
	fault := None
	if p.fault != nil {
		fault = p.fault(r, len(p.log))
	}
	p.mu.Unlock()
	time.Sleep(latency)
	switch fault {
	case Reset:
		panic(http.ErrAbortHandler)
	case Stall:
		_, _ = io.Copy(io.Discard, r.Body) // a client that goes away is noticed after its body
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case Deaf:
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			p.t.Cleanup(func() { c.Close() })
		}
		return
	case Busy:
		refuse(w, http.StatusServiceUnavailable, "SlowDown")
		return
	case Elsewhere:
		_, _ = io.Copy(io.Discard, r.Body) // so that the client reads the answer
		w.Header().Set("Location", "http://localhost:1"+r.URL.Path)
		w.WriteHeader(http.StatusTemporaryRedirect)
		return
	case Expired:
		refuse(w, http.StatusBadRequest, "ExpiredToken")
		return
	}
	next := httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(p.to)
			r.Out.Host = r.In.Host // it is signed
		},
		ModifyResponse: func(answer *http.Response) error {
			p.answer(answer, entry, fault)
			return nil
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	next.ServeHTTP(w, r)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>injected</Message></Error>", code)
}

func (p *Proxy) answer(r *http.Response, entry *Request, fault Fault) {
	if fault == WrongRange {
		r.Header.Set("Content-Range", "bytes 1-2/3")
	}
	if fault == NoRange {
		r.Header.Del("Content-Range")
	}
	left := int64(1) << 62
	if fault == Cut || fault == StallInside {
		left = r.ContentLength / 2
	}
	r.Body = &body{r.Body, r.Request.Context(), p, entry, fault, left}
}

// body counts and cuts an answer, which waits for the link.
type body struct {
	io.ReadCloser
	ctx   context.Context
	proxy *Proxy
	entry *Request
	fault Fault
	left  int64
}

var errCut = errors.New("cut by the test")

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 && b.fault == StallInside {
		<-b.ctx.Done()
	}
	if b.left == 0 {
		return 0, errCut
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.proxy.pass(b.ctx, n)
	b.left -= int64(n)
	b.proxy.mu.Lock()
	b.entry.Bytes += int64(n)
	b.proxy.mu.Unlock()
	return n, err
}
