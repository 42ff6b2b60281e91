// Package rosapi calls the XML-RPC APIs of ROS nodes and the master, and keeps a
// node's registrations at the master up to date.
//
// A Caller may be used from several goroutines. A Registrar works in the goroutine that calls Run; Leave waits for it.
package rosapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"rsros/ros/xmlrpc"
)

// callTimeout bounds every call to a master or a node.
const callTimeout = 10 * time.Second

// Caller calls the ROS APIs, whose answers are [code, status, value].
type Caller struct {
	ID     string
	client *http.Client
}

// NewCaller returns a Caller for the named node. It opens a connection for each call: a persistent one would be stale
// after the peer was restarted, and would hold a thread in rosmaster.
func NewCaller(id string) *Caller {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &Caller{ID: id, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: dialer.DialContext}}}
}

// Call returns the value of a successful answer. Any other answer is an *Error, and so is a call that XML-RPC can't
// express, which isn't sent. Any other error means that there was no answer within ten seconds.
func (c *Caller) Call(ctx context.Context, uri, method string, args ...any) (any, error) {
	answer, err := c.exchange(ctx, uri, method, append([]any{c.ID}, args...)...)
	if err != nil {
		return nil, err
	}
	return valueOf(method, answer)
}

func (c *Caller) exchange(ctx context.Context, uri, method string, args ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answer, err := xmlrpc.Call(ctx, c.client, uri, method, args...)
	if fault, ok := errors.AsType[*xmlrpc.Fault](err); ok {
		return nil, &Error{Method: method, Code: -1, Status: fault.Message}
	}
	if encode, ok := errors.AsType[*xmlrpc.EncodeError](err); ok {
		return nil, &Error{Method: method, Code: -1, Status: encode.Error()}
	}
	return answer, err
}

// valueOf returns the value of a successful answer of a ROS API, or an *Error.
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

// URIs parses a master's list of publishers.
func URIs(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("publishers are %T, not a list", v)
	}
	uris := make([]string, 0, len(list))
	for _, item := range list {
		text, _ := item.(string)
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" || u.Host == "" {
			return nil, fmt.Errorf("publisher %v isn't an http URI", item)
		}
		uris = append(uris, text)
	}
	return uris, nil
}
