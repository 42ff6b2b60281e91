package xmlrpc

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"rsros/program/buffers"
)

// HandlerFunc answers one call. It runs in the request's goroutine, several at once. A *Fault is sent
// unchanged, any other error as fault 1 with its text.
type HandlerFunc func(ctx context.Context, method string, args []any) (any, error)

// NewHandler serves calls posted to any path. It executes system.multicall, which roslaunch uses to
// set parameters, with one call of handle for each call in it. Requests that can't be read are logged, at most
// one a second: roslaunch ends on the answer without a reason.
func NewHandler(handle HandlerFunc, log zerolog.Logger) http.Handler {
	log = log.Sample(&zerolog.BurstSampler{Burst: 1, Period: time.Second})
	refused := func(r *http.Request, err error) {
		log.Warn().Err(err).Str("peer", r.RemoteAddr).Msg("an XML-RPC request is refused")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "XML-RPC calls are posted", http.StatusMethodNotAllowed)
			return
		}
		body, err := buffers.PeerInput.Read(r.Body, -1, maxDocument, decodedSize)
		if err != nil {
			refused(r, err)
			w.Header().Set("Connection", "close") // the rest of the body isn't read
			http.Error(w, "XML-RPC request: "+err.Error(), status(err))
			return
		}
		defer body.Close()
		method, args, err := decodeCall(body.Bytes)
		if err != nil {
			refused(r, err)
			reply(w, encodeFault(asFault(err)))
			return
		}
		reply(w, answer(r.Context(), handle, method, args))
	})
}

// status is the HTTP status for a request that wasn't read.
func status(err error) int {
	if tooLarge := new(buffers.TooLargeError); errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if errors.Is(err, buffers.ErrExhausted) {
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

// NewServer returns an HTTP server for NewHandler's calls. No peer keeps a connection busy by sending or
// reading slowly, or open by doing nothing.
func NewServer(handle HandlerFunc, log zerolog.Logger) *http.Server {
	return &http.Server{
		Handler:           NewHandler(handle, log),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
}

// reply sets the length, because roscpp doesn't read chunked bodies.
func reply(w http.ResponseWriter, document []byte) {
	w.Header().Set("Content-Type", "text/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	_, _ = w.Write(document) // a peer that is gone needs no answer
}

// answer turns a call into a response document.
func answer(ctx context.Context, handle HandlerFunc, method string, args []any) (document []byte) {
	if method == "system.multicall" {
		inner := handle
		handle = func(ctx context.Context, _ string, args []any) (any, error) { return multicall(ctx, inner, args) }
	}
	value, err := handle(ctx, method, args)
	if err == nil {
		document, err = encodeResponse(value)
	}
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
