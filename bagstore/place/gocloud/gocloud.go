//go:build gocloud

package gocloud

import (
	"cmp"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"strings"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"rsros/bagstore/place"
)

// Stores returns a store for each scheme.
func Stores() map[string]place.Store {
	return map[string]place.Store{"gs": &store{scheme: "gs", driver: google{}}, "azblob": &store{scheme: "azblob", driver: azure{}}}
}

// driver is what the drivers of gocloud.dev have in different forms.
type driver interface {
	open(ctx context.Context, bucket string) (*blob.Bucket, error)
	// version returns what changes with an object's content. as is the method As of its attributes, of
	// an object in a list, or of a reader.
	version(as func(any) bool) string
	// only makes a reader or a writer fail unless the object has the version.
	only(as func(any) bool, version string) error
	// sums reports whether a write is discarded after an error only if its checksum is known before. With
	// one, the driver of Azure writes through a pipe that it closes twice.
	sums() bool
	// refused reports whether an error is about credentials.
	refused(err error) bool
}

type store struct {
	scheme string
	driver

	mu      sync.Mutex
	buckets map[string]*blob.Bucket
}

// find returns the bucket and the key of an address.
func (s *store) find(ctx context.Context, name string) (*blob.Bucket, string, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(name, s.scheme+"://"), "/")
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.buckets[bucket]; b != nil {
		return b, key, nil
	}
	b, err := s.open(context.WithoutCancel(ctx), bucket)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w: %w", name, place.ErrUnusable, err)
	}
	if s.buckets == nil {
		s.buckets = make(map[string]*blob.Bucket)
	}
	s.buckets[bucket] = b
	return b, key, nil
}

// wrap adds the name, and the error that callers compare with. It has nothing of the request, whose
// address may be signed.
func (s *store) wrap(name string, err error) error {
	if err == nil {
		return nil
	}
	kind := err
	switch code := gcerrors.Code(err); {
	case s.refused(err), code == gcerrors.PermissionDenied:
		kind = fs.ErrPermission
	case code == gcerrors.NotFound:
		kind = fs.ErrNotExist
	case code == gcerrors.FailedPrecondition, code == gcerrors.AlreadyExists:
		kind = place.ErrChanged
	case code == gcerrors.InvalidArgument:
		kind = place.ErrUnusable
	default:
		if u, ok := errors.AsType[*url.Error](err); ok {
			kind = u.Err
		}
		if errors.Is(err, io.EOF) {
			kind = io.ErrUnexpectedEOF
		}
		if kind == err { // its text may have the address
			kind = fmt.Errorf("the server's answer: %v", code)
		}
	}
	return fmt.Errorf("%s: %w", name, kind)
}

// object is one version of an object.
type object struct {
	s    *store
	b    *blob.Bucket
	key  string
	info place.Info
}

// Open implements place.Store.
func (s *store) Open(ctx context.Context, name string) (place.Object, error) {
	b, key, err := s.find(ctx, name)
	if err != nil {
		return nil, err
	}
	i, err := s.stat(ctx, b, name, key)
	return &object{s, b, key, i}, err
}

func (s *store) stat(ctx context.Context, b *blob.Bucket, name, key string) (place.Info, error) {
	a, err := b.Attributes(ctx, key)
	if err != nil {
		return place.Info{}, s.wrap(name, err)
	}
	return place.Info{Name: name, Size: a.Size, Version: s.version(a.As), Modified: a.ModTime}, nil
}

// Info implements place.Object.
func (o *object) Info() place.Info { return o.info }

// Range implements place.Object. The version is a condition of the request, and compared with that of the
// answer.
func (o *object) Range(ctx context.Context, off, n int64) (io.ReadCloser, error) {
	r, err := o.b.NewRangeReader(ctx, o.key, off, n, &blob.ReaderOptions{
		BeforeRead: func(as func(any) bool) error { return o.s.only(as, o.info.Version) },
	})
	if err != nil {
		return nil, o.s.wrap(o.info.Name, err)
	}
	if o.s.version(r.As) != o.info.Version || r.Size() != o.info.Size {
		return nil, errors.Join(fmt.Errorf("%s: %w", o.info.Name, place.ErrChanged), r.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(r, n), r}, nil
}

// List implements place.Store.
func (s *store) List(ctx context.Context, prefix string) iter.Seq2[place.Info, error] {
	return func(yield func(place.Info, error) bool) {
		b, key, err := s.find(ctx, prefix)
		if err != nil {
			yield(place.Info{}, err)
			return
		}
		folder := strings.TrimSuffix(prefix, key)
		for list := b.List(&blob.ListOptions{Prefix: key}); ; {
			o, err := list.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(place.Info{}, s.wrap(prefix, err))
				return
			}
			i := place.Info{Name: folder + o.Key, Size: o.Size, Version: s.version(o.As), Modified: o.ModTime}
			if !strings.HasSuffix(o.Key, "/") && !yield(i, nil) {
				return
			}
		}
	}
}

// Put implements place.Store. It sends everything again after a restart.
func (s *store) Put(ctx context.Context, name string, body io.ReaderAt, size int64, o place.PutOptions) (place.Info, error) {
	b, key, err := s.find(ctx, name)
	if err != nil {
		return place.Info{}, err
	}
	options := &blob.WriterOptions{ContentType: "application/octet-stream", IfNotExist: o.New}
	if s.sums() {
		sum := md5.New()
		if _, err := io.Copy(sum, io.NewSectionReader(place.Until(ctx, body), 0, size)); err != nil {
			return place.Info{}, fmt.Errorf("read what is written to %s: %w", name, err)
		}
		options.ContentMD5 = sum.Sum(nil)
	}
	if o.Replaces != "" {
		options.BeforeWrite = func(as func(any) bool) error { return s.only(as, o.Replaces) }
	}
	in := &reader{Reader: io.NewSectionReader(body, 0, size), left: size}
	if err = b.Upload(ctx, key, in, options); in.err != nil {
		return place.Info{}, fmt.Errorf("read what is written to %s: %w", name, in.err)
	}
	if code := gcerrors.Code(err); err != nil && o.New && (code == gcerrors.FailedPrecondition || code == gcerrors.AlreadyExists) {
		return place.Info{}, fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	if err != nil {
		return place.Info{}, cmp.Or(ctx.Err(), s.wrap(name, err))
	}
	if o.Progress != nil {
		o.Progress(size)
	}
	return s.stat(ctx, b, name, key)
}

// reader is a body that fails if it ends early.
type reader struct {
	io.Reader
	left int64
	err  error
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.left -= int64(n); errors.Is(err, io.EOF) && r.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// Remove implements place.Store.
func (s *store) Remove(ctx context.Context, name string) error {
	b, key, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	if err := b.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return s.wrap(name, err)
	}
	return nil
}
