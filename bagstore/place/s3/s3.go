// Package s3 reads and writes objects of S3 and of servers that speak it, at s3://bucket/key.
//
// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL sets the server, AWS_REGION or AWS_DEFAULT_REGION the
// region. Credentials come from the environment, from the files of the AWS tools, or from
// the machine's role; without any, requests aren't signed.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"rsros/bagstore/place"
	"rsros/bagstore/place/internal/server"
)

// Scheme is that of the addresses.
const Scheme = "s3"

// Store is a place.Store. Its zero value is the server of the environment.
type Store struct {
	once   sync.Once
	client *minio.Core
	err    error
}

// connect makes the client. It sends nothing.
func (s *Store) connect() (*minio.Core, error) {
	s.once.Do(func() { s.client, s.err = newClient() })
	return s.client, s.err
}

func newClient() (*minio.Core, error) {
	region := cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	host, secure := "s3.amazonaws.com", true
	if text := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")); text != "" {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
			strings.Trim(u.Path, "/") != "" {
			return nil, fmt.Errorf("the endpoint in AWS_ENDPOINT_URL isn't of the form https://host:port: %w", place.ErrUnusable)
		}
		host, secure = u.Host, u.Scheme == "https"
		region = cmp.Or(region, "us-east-1") // others have none, or say that they want another one
	}
	return minio.NewCore(host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
			&credentials.IAM{Client: &http.Client{Timeout: 2 * time.Second}},
		}),
		Secure: secure, Region: region, Transport: bounded{server.Transport()},
		MaxRetries: 1, // package place tries again
	})
}

// split returns bucket and key of an address.
func split(name string) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(name, Scheme+"://"), "/")
	return bucket, key
}

// object is one version of an object.
type object struct {
	client *minio.Core
	info   place.Info
	etag   string // "" if the server has none
	head   []byte
}

// describe returns what a place knows of an object. Servers over folders have no ETag for files that others put there.
func describe(name, etag string, size int64, modified time.Time) place.Info {
	version := etag
	if version == "" {
		version = fmt.Sprintf("%x-%x", modified.Unix(), size)
	}
	return place.Info{Name: name, Size: size, Version: version, Modified: modified}
}

// Open asks for the first bytes, with which come size and version.
func (s *Store) Open(ctx context.Context, name string) (place.Object, error) {
	client, err := s.connect()
	if err != nil {
		return nil, err
	}
	o := &object{client: client, info: place.Info{Name: name}}
	body, info, h, err := o.get(ctx, 0, server.HeadBytes)
	if empty, ok := errors.AsType[minio.ErrorResponse](err); ok &&
		empty.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		err = o.stat(ctx)
		return o, o.wrap(err)
	}
	if err != nil {
		return nil, o.wrap(err)
	}
	defer body.Close() //nolint:errcheck // only read
	size, err := server.Size(h, 0, 0, server.HeadBytes)
	if err == nil {
		o.head, err = server.Head(body, size)
	}
	o.etag, o.info = info.ETag, describe(name, info.ETag, size, info.LastModified)
	return o, o.wrap(err)
}

// stat describes an object that has no bytes.
func (o *object) stat(ctx context.Context) error {
	bucket, key := split(o.info.Name)
	info, err := o.client.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
	if err == nil && info.Size != 0 {
		err = place.ErrChanged
	}
	o.etag, o.info = info.ETag, describe(o.info.Name, info.ETag, 0, info.LastModified)
	return err
}

func (o *object) get(ctx context.Context, off, n int64) (io.ReadCloser, minio.ObjectInfo, http.Header, error) {
	var opts minio.GetObjectOptions
	if err := opts.SetRange(off, off+n-1); err != nil {
		return nil, minio.ObjectInfo{}, nil, err
	}
	if o.etag != "" {
		if err := opts.SetMatchETag(o.etag); err != nil {
			return nil, minio.ObjectInfo{}, nil, err
		}
	}
	bucket, key := split(o.info.Name)
	return o.client.GetObject(ctx, bucket, key, opts)
}

// Info implements place.Object.
func (o *object) Info() place.Info { return o.info }

// Head implements place.Header.
func (o *object) Head() []byte { return o.head }

// Range implements place.Object.
func (o *object) Range(ctx context.Context, off, n int64) (io.ReadCloser, error) {
	body, info, h, err := o.get(ctx, off, n)
	if err != nil {
		return nil, o.wrap(err)
	}
	size, err := server.Size(h, 0, off, n)
	if now := describe(o.info.Name, info.ETag, size, info.LastModified); err == nil &&
		(size != o.info.Size || now.Version != o.info.Version) {
		err = place.ErrChanged
	}
	if err != nil {
		return nil, errors.Join(err, body.Close())
	}
	return body, nil
}

func (o *object) wrap(err error) error { return wrap(o.info.Name, err) }

// wrap adds the name, and the error that callers compare with. It has nothing of the request, whose
// address may be signed.
func wrap(name string, err error) error {
	if err == nil {
		return nil
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	r, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	text := fmt.Sprintf("the server said %d %s: %s", r.StatusCode, r.Code, r.Message)
	switch {
	case r.StatusCode == http.StatusNotFound:
		err = fs.ErrNotExist
	case r.StatusCode == http.StatusPreconditionFailed, r.StatusCode == http.StatusConflict,
		r.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		err = place.ErrChanged
	case r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusUnauthorized,
		r.Code == "ExpiredToken", r.Code == "InvalidToken":
		err = fmt.Errorf("%w; credentials are those of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or of the AWS tools",
			fs.ErrPermission)
	case r.StatusCode/100 == 3: // it isn't followed: the other host would get signed requests
		return fmt.Errorf("%s: the server redirects to another one: %w", name, place.ErrUnusable)
	default:
		return fmt.Errorf("%s: %.300s", name, text)
	}
	return fmt.Errorf("%s: %w (%.300s)", name, err, text)
}

// List implements place.Store.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[place.Info, error] {
	return func(yield func(place.Info, error) bool) {
		client, err := s.connect()
		if err != nil {
			yield(place.Info{}, err)
			return
		}
		ctx, cancel := context.WithCancel(withListing(ctx))
		defer cancel() // ends the listing
		bucket, key := split(prefix)
		for o := range client.ListObjectsIter(ctx, bucket, minio.ListObjectsOptions{Prefix: key, Recursive: true}) {
			if o.Err != nil {
				yield(place.Info{}, wrap(prefix, o.Err))
				return
			}
			i := describe(Scheme+"://"+bucket+"/"+o.Key, strings.Trim(o.ETag, `"`), o.Size, o.LastModified)
			if !strings.HasSuffix(o.Key, "/") && !yield(i, nil) {
				return
			}
		}
	}
}

// Remove implements place.Store.
func (s *Store) Remove(ctx context.Context, name string) error {
	client, err := s.connect()
	if err != nil {
		return err
	}
	bucket, key := split(name)
	return wrap(name, client.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{}))
}
