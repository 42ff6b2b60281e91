package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"time"

	"rsros/bagstore/place"
	"rsros/bagstore/place/internal/server"
)

// Bounds of answers that the client decodes as a whole. A page of a listing has up to 1000 objects, each
// with a name of up to 1 KiB, three times as long if it is escaped, in about 20 tags.
const (
	maxAnswer = 8 << 20 // bytes
	maxTags   = 64 << 10
	maxPages  = 10_000 // of a listing
	// answerTime is how long such an answer may take.
	answerTime = 2 * time.Minute
)

// bounded bounds answers.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method == http.MethodHead || q.Method == http.MethodGet && q.URL.RawQuery == "" {
		return b.part(q) // the head or a part of an object
	}
	if q.Method != http.MethodGet {
		return b.send(q)
	}
	if l, ok := q.Context().Value(listingKey{}).(*listing); ok && q.URL.Query().Has("list-type") {
		if err := l.page(q.URL.Query().Get("continuation-token")); err != nil {
			return nil, err
		}
		return b.list(q)
	}
	return b.get(q)
}

// part gets a part of an object, and no more than that: of an answer that the client refuses, it reads the rest.
func (b bounded) part(q *http.Request) (*http.Response, error) {
	r, err := b.next.RoundTrip(q)
	var from, to int64
	if n, _ := fmt.Sscanf(q.Header.Get("Range"), "bytes=%d-%d", &from, &to); n < 2 || err != nil || r.StatusCode/100 != 2 {
		return limit(r, err)
	}
	r.Body = server.Body(r.Body, to-from+1)
	return r, nil
}

// send sends what may take long, but not without progress.
func (b bounded) send(q *http.Request) (*http.Response, error) {
	ctx, moved, done := server.Within(q.Context(), server.WriteStallTimeout)
	q = q.WithContext(ctx)
	if q.Body != nil {
		q.Body = moving{q.Body, moved}
	}
	r, err := limit(b.next.RoundTrip(q))
	if err != nil {
		done()
		if errors.Is(context.Cause(ctx), server.ErrStalled) {
			err = errors.New("the server takes nothing")
		}
		return nil, err
	}
	r.Body = ending{moving{r.Body, moved}, done}
	return r, nil
}

// list gets a page of a listing, whole. It asks again if that fails for a reason that may pass.
func (b bounded) list(q *http.Request) (*http.Response, error) {
	for n := 1; ; n++ {
		r, err := whole(b.get(q))
		passes := err == nil && busy(r.StatusCode) ||
			err != nil && !errors.Is(err, place.ErrUnusable) && !errors.Is(err, context.DeadlineExceeded)
		if n == maxTries || !passes || q.Context().Err() != nil {
			return r, err
		}
		if err := server.Pause(q.Context(), n); err != nil {
			return nil, err
		}
	}
}

// whole reads the body of an answer.
func whole(r *http.Response, err error) (*http.Response, error) {
	if err != nil {
		return nil, err
	}
	defer r.Body.Close() //nolint:errcheck // only read
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer := *r
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return &answer, nil
}

// get gets an answer that the client decodes as a whole.
func (b bounded) get(q *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(q.Context(), server.Scaled(answerTime))
	r, err := limit(b.next.RoundTrip(q.WithContext(ctx)))
	if err != nil {
		cancel()
		return nil, err
	}
	r.Body = ending{r.Body, cancel}
	return r, nil
}

func limit(r *http.Response, err error) (*http.Response, error) {
	if err == nil {
		r.Body = &limited{r.Body, maxAnswer, maxTags}
	}
	return r, err
}

// limited ends with an error after too many bytes or tags.
type limited struct {
	io.ReadCloser
	bytes, tags int
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.bytes -= n
	l.tags -= bytes.Count(p[:n], []byte("<"))
	if l.bytes < 0 || l.tags < 0 {
		return 0, fmt.Errorf("the server's answer has more than %d bytes or %d tags: %w",
			maxAnswer, maxTags, place.ErrUnusable)
	}
	return n, err
}

// moving tells of each read.
type moving struct {
	io.ReadCloser
	moved func()
}

func (m moving) Read(p []byte) (int, error) {
	m.moved()
	return m.ReadCloser.Read(p)
}

// ending ends a context with a body.
type ending struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (e ending) Close() error {
	defer e.cancel()
	return e.ReadCloser.Close()
}

type listingKey struct{}

// listing is what a listing has asked for. It is used by one goroutine at a time.
type listing struct {
	seed maphash.Seed
	seen map[uint64]bool
}

func withListing(ctx context.Context) context.Context {
	return context.WithValue(ctx, listingKey{}, &listing{maphash.MakeSeed(), make(map[uint64]bool)})
}

var errEndless = errors.New("the server's listing doesn't end")

// page returns an error for a page that was asked for before, or for too many.
func (l *listing) page(token string) error {
	sum := maphash.String(l.seed, token)
	if l.seen[sum] || len(l.seen) == maxPages {
		return fmt.Errorf("%w: %w", errEndless, place.ErrUnusable)
	}
	l.seen[sum] = true
	return nil
}
