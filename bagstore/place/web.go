package place

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

	"rsros/bagstore/place/internal/server"
)

// web is the store of files on http and https servers that support range requests.
type web struct{ client *http.Client }

var theWeb = &web{&http.Client{Transport: server.Transport(), CheckRedirect: redirect}}

const maxRedirects = 5

// redirect follows to other hosts without credentials, and never from https to http.
func redirect(next *http.Request, before []*http.Request) error {
	first := before[0]
	switch {
	case len(before) > maxRedirects:
		return fmt.Errorf("more than %d redirects: %w", maxRedirects, ErrUnusable)
	case next.URL.Scheme != "https" && (next.URL.Scheme != "http" || first.URL.Scheme == "https"):
		return fmt.Errorf("a redirect from %s to %.10q isn't followed: %w", first.URL.Scheme, next.URL.Scheme, ErrUnusable)
	case next.URL.Host != first.URL.Host:
		next.Header.Del("Authorization")
		next.Header.Del("Cookie")
	}
	next.Header.Del("Referer") // the first address may be signed
	return nil
}

type webFile struct {
	client   *http.Client
	address  string // secret
	info     Info
	strong   bool // the version is an ETag that a server may compare
	modified string
	head     []byte
}

// Open asks for the first bytes, with which come size and version.
func (s *web) Open(ctx context.Context, name string) (Object, error) {
	f := &webFile{client: s.client, address: secretURL(name), info: Info{Name: Redact(name)}}
	r, err := f.get(ctx, 0, server.HeadBytes)
	if err != nil {
		return nil, f.wrap(err)
	}
	defer r.Body.Close() //nolint:errcheck // only read
	f.modified = r.Header.Get("Last-Modified")
	f.info.Modified, _ = http.ParseTime(f.modified)
	f.info.Version = version(r.Header)
	f.strong = strings.HasPrefix(f.info.Version, `"`)
	switch {
	case r.StatusCode == http.StatusRequestedRangeNotSatisfiable && r.Header.Get("Content-Range") == "bytes */0",
		r.StatusCode == http.StatusOK && r.ContentLength == 0:
		return f, nil
	case r.StatusCode == http.StatusOK && r.ContentLength > 0 && r.ContentLength <= server.HeadBytes:
		// small files are sent whole
		f.info.Size = r.ContentLength
	default:
		if f.info.Size, err = server.Size(r.Header, r.StatusCode, 0,
			server.HeadBytes); errors.Is(err, server.ErrUnsupported) {
			err = fmt.Errorf("%w: %w", ErrUnusable, err)
		}
	}
	if err == nil {
		f.head, err = server.Head(r.Body, f.info.Size)
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

func (f *webFile) get(ctx context.Context, off, n int64) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address, nil)
	if err != nil {
		return nil, fmt.Errorf("the address is invalid, or was redacted by another run of the program: %w", ErrUnusable)
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
		return ErrChanged
	case http.StatusRequestedRangeNotSatisfiable:
		if r.Header.Get("Content-Range") == "bytes */0" {
			return nil
		}
		return ErrChanged
	}
	return fmt.Errorf("the server said %d %s", r.StatusCode, http.StatusText(r.StatusCode))
}

func (f *webFile) Info() Info { return f.info }

func (f *webFile) Head() []byte { return f.head }

func (f *webFile) Range(ctx context.Context, off, n int64) (io.ReadCloser, error) {
	r, err := f.get(ctx, off, n)
	if err != nil {
		return nil, f.wrap(err)
	}
	size, err := server.Size(r.Header, r.StatusCode, off, n)
	if err == nil && (size != f.info.Size || version(r.Header) != f.info.Version) {
		err = ErrChanged
	}
	if err != nil {
		return nil, errors.Join(f.wrap(err), r.Body.Close())
	}
	return server.Body(r.Body, n), nil
}

// wrap adds the name. The client's errors have the whole address.
func (f *webFile) wrap(err error) error {
	if err == nil {
		return nil
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return fmt.Errorf("%s: %w", f.info.Name, err)
}

func (*web) List(_ context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		yield(Info{}, readOnly(prefix))
	}
}

func (*web) Put(_ context.Context, name string, _ io.ReaderAt, _ int64, _ PutOptions) (Info, error) {
	return Info{}, readOnly(name)
}

func (*web) Remove(_ context.Context, name string) error { return readOnly(name) }

func readOnly(name string) error { return fmt.Errorf("%s: %w", Redact(name), ErrReadOnly) }
