//go:build gocloud

package gocloud

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"rsros/bagstore/place/internal/ranged"
)

type google struct{}

func (google) open(ctx context.Context, bucket string) (*blob.Bucket, error) {
	client := gcp.NewAnonymousHTTPClient(ranged.Transport())
	if creds, err := gcp.DefaultCredentials(ctx); err == nil {
		if client, err = gcp.NewHTTPClient(ranged.Transport(), creds.TokenSource); err != nil {
			return nil, err
		}
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // it would be signed, too
	b, err := gcsblob.OpenBucket(ctx, client, bucket, nil)
	if err != nil {
		return nil, err
	}
	var c *storage.Client
	if b.As(&c) {
		c.SetRetry(storage.WithMaxAttempts(3))
	}
	return b, nil
}

// version returns the generation.
func (google) version(as func(any) bool) string {
	var (
		a storage.ObjectAttrs
		r *storage.Reader
	)
	switch {
	case as(&a):
		return strconv.FormatInt(a.Generation, 10)
	case as(&r):
		return strconv.FormatInt(r.Attrs.Generation, 10)
	}
	return ""
}

func (google) only(as func(any) bool, version string) error {
	generation, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return err
	}
	var h **storage.ObjectHandle
	if !as(&h) {
		return errNoCondition
	}
	*h = (*h).If(storage.Conditions{GenerationMatch: generation})
	return nil
}

var errNoCondition = errors.New("the driver takes no conditions")

func (google) sums() bool { return true }

func (google) refused(err error) bool {
	if a, ok := errors.AsType[*googleapi.Error](err); ok && (a.Code == http.StatusUnauthorized || a.Code == http.StatusForbidden) {
		return true
	}
	_, ok := errors.AsType[*oauth2.RetrieveError](err)
	return ok
}
