package ros

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"rsros/node/xmlrpc"
)

// APIError is an answer of a master or a node that isn't success.
type APIError struct {
	Method string
	Code   int // 0 failure, -1 error of the caller
	Status string
}

func (e *APIError) Error() string { return fmt.Sprintf("%s: code %d: %s", e.Method, e.Code, e.Status) }

// callTimeout bounds one call to a master or a node.
const callTimeout = 10 * time.Second

// caller calls the ROS APIs, where each call starts with the caller's name and
// each answer is [code, status, value].
type caller struct {
	id     string
	client *http.Client
}

// newCaller makes one connection a call: a kept one would be stale whenever the
// other end was restarted, and holds a thread in rosmaster.
func newCaller(id string) *caller {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &caller{id: id, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext}}}
}

// call returns the value of a successful answer. Any answer but success is an
// *APIError, every other error means that nobody answered.
func (c *caller) call(ctx context.Context, uri, method string, args ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answer, err := xmlrpc.Call(ctx, c.client, uri, method, append([]any{c.id}, args...)...)
	var fault *xmlrpc.Fault
	if errors.As(err, &fault) {
		return nil, &APIError{Method: method, Code: -1, Status: fault.Message}
	}
	if err != nil {
		return nil, err
	}
	triple, ok := answer.([]any)
	if !ok || len(triple) != 3 {
		return nil, &APIError{Method: method, Code: -1, Status: fmt.Sprintf("answer %v isn't [code, status, value]", answer)}
	}
	code, ok := triple[0].(int)
	if status, _ := triple[1].(string); !ok || code != 1 {
		return nil, &APIError{Method: method, Code: code, Status: status}
	}
	return triple[2], nil
}
