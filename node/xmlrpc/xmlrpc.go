// Package xmlrpc is the remote procedure call that ROS 1 nodes and the master speak:
// a method call in XML posted over HTTP, answered by one value or a fault.
//
// In: bytes of a peer, which may be hostile. A document is bounded in size and nesting, knows no
// entities but XML's own five and character references, and never makes the decoder allocate more
// than it has read. Out: Go values.
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
// Values are never shared with the caller's request: what a decoder returns belongs to the caller.
package xmlrpc

import "fmt"

// Bounds on what a peer may send. The largest honest documents are parameter trees with robot
// descriptions in them, a few MiB.
const (
	maxDocument = 64 << 20 // bytes of a call or a response
	maxDepth    = 64       // values nested in values
)

// Fault is the answer of a server that ran into an error.
type Fault struct {
	Code    int
	Message string
}

func (f *Fault) Error() string { return fmt.Sprintf("fault %d: %s", f.Code, f.Message) }

// SyntaxError says where a document stops being XML-RPC.
type SyntaxError struct {
	Offset int // bytes from the start of the document
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("xml-rpc: byte %d: %s", e.Offset, e.Reason) }
