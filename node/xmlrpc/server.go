package xmlrpc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// HandlerFunc answers one call. It runs in the request's goroutine, several at once. A returned
// *Fault goes out as it is, any other error as fault 1 with its text.
type HandlerFunc func(ctx context.Context, method string, args []any) (any, error)

// NewHandler serves calls posted to any path. It answers system.multicall by itself, with one
// HandlerFunc call for each call in it: roslaunch sets its parameters that way.
func NewHandler(handle HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "XML-RPC calls are posted", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDocument))
		if err != nil {
			status := http.StatusBadRequest
			if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
				status = http.StatusRequestEntityTooLarge
			}
			http.Error(w, err.Error(), status)
			return
		}
		reply(w, answer(r.Context(), handle, body))
	})
}

// reply always states the length: roscpp reads no chunked bodies.
func reply(w http.ResponseWriter, document []byte) {
	w.Header().Set("Content-Type", "text/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	_, _ = w.Write(document) // a peer that is gone needs no answer
}

// answer turns a call document into a response document.
func answer(ctx context.Context, handle HandlerFunc, body []byte) []byte {
	method, args, err := decodeCall(body)
	if err != nil {
		return encodeFault(asFault(err))
	}
	var value any
	if method == "system.multicall" {
		value, err = multicall(ctx, handle, args)
	} else {
		value, err = handle(ctx, method, args)
	}
	if err != nil {
		return encodeFault(asFault(err))
	}
	document, err := encodeResponse(value)
	if err != nil {
		return encodeFault(asFault(err))
	}
	return document
}

func asFault(err error) *Fault {
	if fault := new(Fault); errors.As(err, &fault) {
		return fault
	}
	return &Fault{Code: 1, Message: err.Error()}
}

// multicall runs many calls of one request: [{methodName, params}, …] gives [[value] or fault, …].
func multicall(ctx context.Context, handle HandlerFunc, args []any) (any, error) {
	var calls []any
	if len(args) == 1 {
		calls, _ = args[0].([]any)
	}
	if calls == nil {
		return nil, errors.New("system.multicall takes one array of calls")
	}
	results := make([]any, 0, len(calls))
	for _, c := range calls {
		fields, _ := c.(map[string]any)
		method, named := fields["methodName"].(string)
		params, listed := fields["params"].([]any)
		var value any
		err := errors.New("a call is a struct of methodName and params")
		if named && listed && method != "system.multicall" {
			value, err = handle(ctx, method, params)
		}
		if err != nil {
			results = append(results, faultValue(asFault(err)))
			continue
		}
		results = append(results, []any{value})
	}
	return results, nil
}
