package s3

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync/atomic"

	"github.com/minio/minio-go/v7"

	"rsros/bagstore/place"
)

// partSize is that of the parts of large objects. A bucket takes 10,000 of them.
const (
	partSize = 16 << 20
	maxParts = 10000
)

// Put implements place.Store. A large object is written in parts, which a failure removes.
func (s *Store) Put(ctx context.Context, name string, body io.ReaderAt, size int64, o place.PutOptions) (place.Info, error) {
	client, err := s.connect()
	if err != nil {
		return place.Info{}, err
	}
	opts := minio.PutObjectOptions{ContentType: "application/octet-stream", PartSize: uint64(max(partSize, (size/maxParts)>>20<<20+1<<20)), SendContentMd5: true}
	switch {
	case o.New:
		opts.SetMatchETagExcept("*")
	case o.Replaces != "":
		opts.SetMatchETag(o.Replaces)
	}
	if o.Progress != nil {
		opts.Progress = &counter{report: o.Progress}
	}
	bucket, key := split(name)
	info, err := client.Client.PutObject(ctx, bucket, key, io.NewSectionReader(body, 0, size), size, opts)
	if err != nil {
		r := minio.ToErrorResponse(err)
		if o.New && (r.StatusCode == http.StatusPreconditionFailed || r.StatusCode == http.StatusConflict) {
			return place.Info{}, fmt.Errorf("%s: %w", name, fs.ErrExist)
		}
		return place.Info{}, wrap(name, err)
	}
	return place.Info{Name: name, Size: size, Version: info.ETag, Modified: info.LastModified}, nil
}

// counter is told of bytes by being read.
type counter struct {
	n      atomic.Int64
	report func(n int64)
}

func (c *counter) Read(p []byte) (int, error) {
	c.report(c.n.Add(int64(len(p))))
	return len(p), nil
}
