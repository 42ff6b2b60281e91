package xmlrpc

import (
	"bytes"
	"testing"

	"rsros/test/need"
)

func seed(f *testing.F) {
	for _, c := range values {
		call, _ := encodeCall("m", []any{c.value})
		response, _ := encodeResponse(c.value)
		f.Add(call)
		f.Add(response)
	}
	f.Add(encodeFault(&Fault{Code: -1, Message: "x"}))
	f.Add([]byte("<methodCall><methodName>m</methodName><params><param><value>&#x41;<![CDATA[<]]></value></param></params></methodCall>"))
}

// FuzzDecodeCall: no panic, and what decodes also encodes, to a document that means the same.
func FuzzDecodeCall(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, document []byte) {
		method, args, err := decodeCall(document)
		if err != nil {
			return
		}
		first, err := encodeCall(method, args)
		need.Must(t, err)
		method, args, err = decodeCall(first)
		if err != nil {
			t.Fatalf("own document: %v\n%s", err, first)
		}
		second, err := encodeCall(method, args)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%v\n%s\n%s", err, first, second)
		}
	})
}

// FuzzDecodeResponse: no panic.
func FuzzDecodeResponse(f *testing.F) {
	seed(f)
	f.Fuzz(func(_ *testing.T, document []byte) { _, _ = decodeResponse(document) })
}
