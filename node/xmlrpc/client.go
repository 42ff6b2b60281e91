package xmlrpc

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"rsros/node/internal/budget"
)

// Call posts one method call and returns the value of the response. A fault of the peer is a *Fault
// in the error's chain. client keeps connections between calls; ctx bounds the whole exchange.
//
// A call may be sent twice if the peer closed a kept connection just then. All calls of the ROS APIs
// bear that: they state a fact (registered, value set), they don't count.
func Call(ctx context.Context, client *http.Client, url, method string, args ...any) (any, error) {
	value, err := call(ctx, client, url, method, args)
	if err != nil {
		return nil, fmt.Errorf("call %s at %s: %w", method, url, err)
	}
	return value, nil
}

func call(ctx context.Context, client *http.Client, url, method string, args []any) (any, error) {
	document, err := encodeCall(method, args)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "text/xml")
	// Present but empty: net/http may then repeat the request, and sends no such header.
	request.Header["X-Idempotency-Key"] = nil
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP status %s", response.Status)
	}
	body, err := budget.Strangers.Read(response.Body, -1, maxDocument, decodedSize)
	if err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	defer body.Close()
	return decodeResponse(body.Bytes)
}
