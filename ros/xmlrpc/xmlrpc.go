// Package xmlrpc is the remote procedure call that ROS 1 nodes and the master speak: a method call in XML, posted over
// HTTP and answered by one value or a fault. Input from peers may be hostile: documents are bounded in size, nesting
// and number of values, may use only XML's five entities and character references, and are read into memory as they
// arrive. All requests together share buffers.PeerInput.
//
// XML-RPC and Go:
//
//	int, i4, i8         int
//	boolean             bool
//	double              float64
//	string, bare text   string (UTF-8)
//	dateTime.iso8601    time.Time (UTC, whole seconds)
//	base64              []byte
//	array               []any
//	struct              map[string]any
//	nil                 nil
//
// Decoded values belong to the caller and don't share memory with the document. The package starts no
// goroutine; its functions may be called from several.
package xmlrpc

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"rsros/program/buffers"
)

// Bounds on what a peer may send. Usual documents have kilobytes; the largest honest ones are parameter
// trees with robot descriptions and tables in them, all of which roslaunch sets in one call. One document of
// maxDocument takes all of buffers.PeerInput.
const (
	maxDocument = 16 << 20 // bytes of a call or a response
	maxValues   = 1 << 20  // values in it, those inside others included
	maxDepth    = 64       // values nested in values
	decodedSize = 4        // bytes in memory for each byte of a document, while it is answered
)

// Call posts one method call and returns the value of the response. A fault of the peer is a *Fault in the error's
// chain. client keeps connections between calls; ctx bounds the whole exchange. A call is sent again if the peer closes
// a kept connection meanwhile. All calls of the ROS APIs are idempotent.
func Call(ctx context.Context, client *http.Client, url, method string, args ...any) (_ any, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("call %s at %s: %w", method, url, err)
		}
	}()
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
	body, err := buffers.PeerInput.Read(response.Body, -1, maxDocument, decodedSize)
	if err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	defer body.Close()
	return decodeResponse(body.Bytes)
}
