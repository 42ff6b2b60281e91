// Package xmlrpc is the remote procedure call that ROS 1 nodes and the master speak:
// a method call in XML, posted over HTTP and answered by one value or a fault.
//
// What a peer sends may be hostile. A document is bounded in size, nesting and number of values, knows
// no entities but XML's own five and character references, and is read into memory as it arrives. The
// requests of all peers together share budget.Strangers.
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
// What a decoder returns belongs to the caller and shares no memory with the document. The package
// starts no goroutine; its functions may be called from several.
package xmlrpc

import "fmt"

// Bounds on what a peer may send. Usual documents have kilobytes; the largest honest ones are parameter
// trees with robot descriptions in them.
const (
	maxDocument = 4 << 20   // bytes of a call or a response
	maxValues   = 128 << 10 // values in it, those inside others included
	maxDepth    = 64        // values nested in values
	decodedSize = 4         // bytes in memory for each byte of a document, while it is answered
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

// EncodeError means that XML-RPC has no form for a value that was to be sent; nothing was.
type EncodeError struct{ Reason string }

func (e *EncodeError) Error() string { return "encode xml-rpc: " + e.Reason }
