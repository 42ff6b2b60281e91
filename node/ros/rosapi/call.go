// Package rosapi calls the APIs that ROS nodes and the master have over XML-RPC, and
// keeps the master informed of what a node wants registered.
//
// A Caller may be used from several goroutines. A Registrar works in the goroutine
// that calls Run, which its owner waits for through Leave.
package rosapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/xmlrpc"
)

// Error is an answer of a master or a node other than success.
type Error struct {
	Method string
	Code   int // 0: it failed, -1: the call was wrong
	Status string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: code %d: %s", e.Method, e.Code, e.Status) }

// ErrClosed is what methods return once the node or the object was closed.
var ErrClosed = errors.New("ros: closed")

// callTimeout bounds every call to a master or a node.
const callTimeout = 10 * time.Second

// Caller calls the ROS APIs. Each call starts with the caller's name, and each
// answer is [code, status, value].
type Caller struct {
	ID     string
	client *http.Client
	clocks *clocks
}

// NewCaller returns a Caller for the node of that name. It makes a connection for
// each call: one that is kept would be stale whenever the other end was restarted,
// and it holds a thread in rosmaster.
func NewCaller(id string) *Caller {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	c := &clocks{next: &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext}, hosts: map[string]*clock{}}
	return &Caller{ID: id, client: &http.Client{Transport: c}, clocks: c}
}

// WatchClocks logs when the clock of a machine that is called differs from this one's.
// It must be called before Call.
func (c *Caller) WatchClocks(log zerolog.Logger) { c.clocks.log = log }

// Call returns the value of a successful answer. Any other answer is an *Error;
// every other error means that nobody answered, within ten seconds at the latest. A
// call that XML-RPC can't express isn't sent and is an *Error, too.
func (c *Caller) Call(ctx context.Context, uri, method string, args ...any) (any, error) {
	answer, err := c.exchange(ctx, uri, method, append([]any{c.ID}, args...)...)
	if err != nil {
		return nil, err
	}
	return valueOf(method, answer)
}

// exchange makes a call as XML-RPC has it and returns its answer.
func (c *Caller) exchange(ctx context.Context, uri, method string, args ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answer, err := xmlrpc.Call(ctx, c.client, uri, method, args...)
	var fault *xmlrpc.Fault
	if errors.As(err, &fault) {
		return nil, &Error{Method: method, Code: -1, Status: fault.Message}
	}
	if unsayable := new(xmlrpc.EncodeError); errors.As(err, &unsayable) {
		return nil, &Error{Method: method, Code: -1, Status: unsayable.Error()}
	}
	return answer, err
}

// valueOf returns the value of an answer of the ROS APIs, which is an *Error unless it is a
// successful one.
func valueOf(method string, answer any) (any, error) {
	triple, ok := answer.([]any)
	if !ok || len(triple) != 3 {
		return nil, &Error{Method: method, Code: -1, Status: fmt.Sprintf("answer %v isn't [code, status, value]", answer)}
	}
	code, ok := triple[0].(int)
	if status, _ := triple[1].(string); !ok || code != 1 {
		return nil, &Error{Method: method, Code: code, Status: status}
	}
	return triple[2], nil
}
