// Package web reads files at http and https addresses, from servers that support range requests.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"rsros/bagstore/place"
	"rsros/bagstore/place/internal/ranged"
)

// Schemes are those of the addresses.
var Schemes = []string{"http", "https"}

// ErrReadOnly is the error for everything but reading.
var ErrReadOnly = errors.New("files at http and https addresses can only be read one by one; they can't be listed or written")

// Store is a place.Store.
type Store struct{ client *http.Client }

// New returns a Store.
func New() *Store {
	return &Store{&http.Client{Transport: ranged.Transport(), CheckRedirect: redirect}}
}

const maxRedirects = 5

// redirect follows to other hosts without credentials, and never from https to http.
func redirect(next *http.Request, before []*http.Request) error {
	first := before[0]
	switch {
	case len(before) > maxRedirects:
		return fmt.Errorf("more than %d redirects: %w", maxRedirects, place.ErrUnusable)
	case first.URL.Scheme == "https" && next.URL.Scheme != "https":
		return fmt.Errorf("a redirect from https to http isn't followed: %w", place.ErrUnusable)
	case next.URL.Host != first.URL.Host:
		next.Header.Del("Authorization")
		next.Header.Del("Cookie")
	}
	next.Header.Del("Referer") // the first address may be signed
	return nil
}

type file struct {
	client   *http.Client
	address  string // secret
	info     place.Info
	strong   bool // the version is an ETag that a server may compare
	modified string
	head     []byte
}

// Open asks for the first bytes, with which come size and version.
func (s *Store) Open(ctx context.Context, name string) (place.Object, error) {
	f := &file{client: s.client, address: place.Whole(name), info: place.Info{Name: place.Conceal(name)}}
	r, err := f.get(ctx, 0, ranged.HeadBytes)
	if err != nil {
		return nil, f.wrap(err)
	}
	defer r.Body.Close() //nolint:errcheck // only read
	f.modified = r.Header.Get("Last-Modified")
	f.info.Modified, _ = http.ParseTime(f.modified)
	f.info.Version = version(r.Header)
	f.strong = strings.HasPrefix(f.info.Version, `"`)
	switch {
	case r.StatusCode == http.StatusRequestedRangeNotSatisfiable && r.Header.Get("Content-Range") == "bytes */0", r.StatusCode == http.StatusOK && r.ContentLength == 0:
		return f, nil
	case r.StatusCode == http.StatusOK && r.ContentLength > 0 && r.ContentLength <= ranged.HeadBytes: // small files are sent whole
		f.info.Size = r.ContentLength
	default:
		if f.info.Size, err = ranged.Size(r.Header, r.StatusCode, 0, ranged.HeadBytes); errors.Is(err, ranged.ErrUnsupported) {
			err = fmt.Errorf("%w: %w", place.ErrUnusable, err)
		}
	}
	if err == nil {
		f.head, err = ranged.Head(r.Body, f.info.Size)
	}
	return f, f.wrap(err)
}

// version returns what changes with a file; "" if the server says nothing of the kind.
func version(h http.Header) string {
	if tag := h.Get("ETag"); tag != "" {
		return tag
	}
	return h.Get("Last-Modified")
}

func (f *file) get(ctx context.Context, off, n int64) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address, nil)
	if err != nil {
		return nil, fmt.Errorf("invalid address: %w", place.ErrUnusable)
	}
	q.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	switch {
	case f.strong:
		q.Header.Set("If-Match", f.info.Version)
	case f.modified != "":
		q.Header.Set("If-Unmodified-Since", f.modified)
	}
	r, err := f.client.Do(q)
	if err != nil {
		return nil, err
	}
	if err := failure(r); err != nil {
		return nil, errors.Join(err, r.Body.Close())
	}
	return r, nil
}

// failure returns the error of an answer.
func failure(r *http.Response) error {
	switch r.StatusCode {
	case http.StatusOK, http.StatusPartialContent:
		return nil
	case http.StatusNotFound, http.StatusGone:
		return fs.ErrNotExist
	case http.StatusForbidden, http.StatusUnauthorized:
		return fmt.Errorf("%w (the server said %d)", fs.ErrPermission, r.StatusCode)
	case http.StatusPreconditionFailed:
		return place.ErrChanged
	case http.StatusRequestedRangeNotSatisfiable:
		if r.Header.Get("Content-Range") == "bytes */0" {
			return nil
		}
		return place.ErrChanged
	}
	return fmt.Errorf("the server said %d %s", r.StatusCode, http.StatusText(r.StatusCode))
}

// Info implements place.Object.
func (f *file) Info() place.Info { return f.info }

// Head implements place.Header.
func (f *file) Head() []byte { return f.head }

// Range implements place.Object.
func (f *file) Range(ctx context.Context, off, n int64) (io.ReadCloser, error) {
	r, err := f.get(ctx, off, n)
	if err != nil {
		return nil, f.wrap(err)
	}
	size, err := ranged.Size(r.Header, r.StatusCode, off, n)
	if err == nil && (size != f.info.Size || version(r.Header) != f.info.Version) {
		err = place.ErrChanged
	}
	if err != nil {
		return nil, errors.Join(f.wrap(err), r.Body.Close())
	}
	return ranged.Body(r.Body, n), nil
}

// wrap adds the name. The client's errors have the whole address.
func (f *file) wrap(err error) error {
	if err == nil {
		return nil
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return fmt.Errorf("%s: %w", f.info.Name, err)
}

// List implements place.Store.
func (s *Store) List(_ context.Context, prefix string) iter.Seq2[place.Info, error] {
	return func(yield func(place.Info, error) bool) {
		yield(place.Info{}, s.Unwritable(prefix))
	}
}

// Put implements place.Store.
func (s *Store) Put(_ context.Context, name string, _ io.ReaderAt, _ int64, _ place.PutOptions) (place.Info, error) {
	return place.Info{}, s.Unwritable(name)
}

// Remove implements place.Store.
func (s *Store) Remove(_ context.Context, name string) error { return s.Unwritable(name) }

// Unwritable implements place.ReadOnly.
func (s *Store) Unwritable(name string) error {
	return fmt.Errorf("%s: %w", place.Conceal(name), ErrReadOnly)
}
