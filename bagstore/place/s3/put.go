package s3

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/http"

	"github.com/minio/minio-go/v7"

	"rsros/bagstore/place"
	"rsros/bagstore/place/internal/server"
)

// Put implements place.Store. A large object is written in parts. The server compares the checksums of
// each part and of the whole. After a failure it has no parts, unless o.Save can keep what they are.
func (s *Store) Put(ctx context.Context, name string, body io.ReaderAt, size int64,
	o place.PutOptions) (place.Info, error) {
	p, err := s.newPut(name, o)
	if err != nil {
		return place.Info{}, err
	}
	p.body, p.size = body, size
	if size <= partSize {
		p.resume(ctx)
		return p.single(ctx)
	}
	return p.inParts(ctx)
}

// Probe implements place.Prober. It begins an object in parts, which needs the same permission as any object, and gives
// it up.
func (s *Store) Probe(ctx context.Context, name string) error {
	p, err := s.newPut(name, place.PutOptions{})
	if err != nil {
		return err
	}
	u, err := p.begin(ctx)
	if err == nil {
		_ = p.client.AbortMultipartUpload(ctx, p.bucket, p.key, u.ID) // it has no parts, which would cost
	}
	return err
}

func (s *Store) newPut(name string, o place.PutOptions) (*put, error) {
	client, err := s.connect()
	if err != nil {
		return nil, err
	}
	p := &put{client: client, name: name, o: o}
	p.bucket, p.key = split(name)
	if o.Progress == nil {
		p.o.Progress = func(int64) {}
	}
	return p, nil
}

// put writes one object.
type put struct {
	client            *minio.Core
	name, bucket, key string
	body              io.ReaderAt
	size              int64
	o                 place.PutOptions
}

// sums are the checksums of a part.
type sums struct {
	MD5 []byte `json:"md5"`
	CRC uint32 `json:"crc"` // CRC-32C
}

// sum reads a part.
func (p *put) sum(ctx context.Context, off, n int64) (s sums, err error) {
	h, c := md5.New(), crc32.New(crc32.MakeTable(crc32.Castagnoli))
	buf := make([]byte, min(n, 1<<20))
	for end := off + n; off < end; {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		k := min(int64(len(buf)), end-off)
		if got, err := p.body.ReadAt(buf[:k], off); got < int(k) {
			return s, fmt.Errorf("read what is written to %s: %w", p.name, errors.Join(err, io.ErrUnexpectedEOF))
		}
		h.Write(buf[:k])
		c.Write(buf[:k])
		off += k
	}
	return sums{h.Sum(nil), c.Sum32()}, nil
}

func (s sums) md5() string { return base64.StdEncoding.EncodeToString(s.MD5) }

func (s sums) crc() string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, s.CRC))
}

const checksumHeader = "X-Amz-Checksum-Crc32c"

// sumKey is the name of the metadata that hold PutOptions.SHA256.
const sumKey = "Sha256"

// described adds the metadata to the headers of the request that describes the object.
func (p *put) described(headers map[string]string) map[string]string {
	if p.o.SHA256 != "" {
		headers[sumKey] = p.o.SHA256
	}
	return headers
}

// options returns those of the request that makes the object appear.
func (p *put) options(metadata map[string]string) minio.PutObjectOptions {
	opts := minio.PutObjectOptions{ContentType: "application/octet-stream", UserMetadata: metadata}
	switch {
	case p.o.New:
		opts.SetMatchETagExcept("*")
	case p.o.Replaces != "":
		opts.SetMatchETag(p.o.Replaces)
	}
	return opts
}

func (p *put) single(ctx context.Context) (place.Info, error) {
	s, err := p.sum(ctx, 0, p.size)
	if err != nil {
		return place.Info{}, err
	}
	var info minio.UploadInfo
	tries := 0
	err = p.try(ctx, func() (err error) {
		tries++
		info, err = p.client.PutObject(ctx, p.bucket, p.key, io.NewSectionReader(p.body, 0, p.size), p.size, s.md5(), "",
			p.options(p.described(map[string]string{checksumHeader: s.crc()})))
		return err
	})
	if tries > 1 && (errors.Is(err, fs.ErrExist) || errors.Is(err, place.ErrChanged)) {
		if found, err := p.verify(ctx, hex.EncodeToString(s.MD5), ""); err == nil {
			return found, nil // the answer to an earlier try was lost
		}
	}
	if err != nil {
		return place.Info{}, err
	}
	p.o.Progress(p.size)
	if info.ChecksumCRC32C == s.crc() {
		return describe(p.name, info.ETag, p.size, info.LastModified), nil
	}
	found, err := p.verify(ctx, "", s.crc())
	if err != nil {
		err = fmt.Errorf("the server says that it has stored the object, but: %w", err)
	}
	return found, err
}

// verify returns the object if it has the size, the ETag and, if the server knows it, the CRC-32C of
// what was written. etag is that of servers that don't encrypt, empty for any.
func (p *put) verify(ctx context.Context, etag, crc string) (place.Info, error) {
	var info minio.ObjectInfo
	err := p.try(ctx, func() (err error) {
		info, err = p.client.StatObject(ctx, p.bucket, p.key, minio.StatObjectOptions{Checksum: true})
		return err
	})
	if err != nil {
		return place.Info{}, err
	}
	if info.Size != p.size || etag != "" && info.ETag != etag ||
		crc != "" && info.ChecksumMode == "FULL_OBJECT" && info.ChecksumCRC32C != "" && info.ChecksumCRC32C != crc {
		return place.Info{}, fmt.Errorf(
			"%s: the object isn't what was written: %d bytes, ETag %.60q, CRC-32C %.60q, want %d, %s, %s", p.name, info.Size,
			info.ETag, info.ChecksumCRC32C, p.size, etag, crc)
	}
	return describe(p.name, info.ETag, info.Size, info.LastModified), nil
}

// wrap is the function wrap, with the error of PutOptions.New.
func (p *put) wrap(err error) error {
	r, answered := errors.AsType[minio.ErrorResponse](err)
	if answered && p.o.New && (r.StatusCode == http.StatusPreconditionFailed || r.StatusCode == http.StatusConflict) {
		return fmt.Errorf("%s: %w", p.name, fs.ErrExist)
	}
	return wrap(p.name, err)
}

const maxTries = 6

// busy reports whether a server may answer otherwise a little later.
func busy(status int) bool { return status >= 500 || status == http.StatusTooManyRequests }

// try calls do again after errors that may pass.
func (p *put) try(ctx context.Context, do func() error) error {
	for n := 0; ; n++ {
		err := do()
		if err == nil {
			return nil
		}
		if errors.Is(err, errForgotten) || errors.Is(err, fs.ErrExist) {
			return err
		}
		r, answered := errors.AsType[minio.ErrorResponse](err)
		passes := !answered || busy(r.StatusCode) || r.StatusCode == http.StatusConflict ||
			r.Code == "RequestTimeout" || r.Code == "BadDigest"
		if n == maxTries-1 || !passes || ctx.Err() != nil {
			return errors.Join(ctx.Err(), p.wrap(err))
		}
		if err := server.Pause(ctx, n+1); err != nil {
			return err
		}
	}
}
