package xmlrpc

import "fmt"

// Fault is an error that a server reports.
type Fault struct {
	Code    int
	Message string
}

func (f *Fault) Error() string { return fmt.Sprintf("fault %d: %s", f.Code, f.Message) }

// SyntaxError reports where a document isn't XML-RPC.
type SyntaxError struct {
	Offset int // bytes from the start of the document
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("xml-rpc: byte %d: %s", e.Offset, e.Reason) }

// EncodeError means that XML-RPC can't represent a value. Nothing was sent.
type EncodeError struct{ Reason string }

func (e *EncodeError) Error() string { return "encode xml-rpc: " + e.Reason }
