package s3

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"rsros/bagstore/place"
)

const (
	// partSize is that of the parts of large objects. A bucket takes maxParts of them.
	partSize = 16 << 20
	maxParts = 10000
	// inFlight is how many parts are sent at a time.
	inFlight = 3
	// abortTime bounds how long the removal of parts may take, beginTime how long the server's answer to the request
	// that begins them is awaited after an interruption.
	abortTime  = 2 * time.Second
	beginTime  = 800 * time.Millisecond
	abortPause = 50 * time.Millisecond
	// abortedFor is how often in succession the server must have no such upload: a part that had arrived before
	// may bring it back.
	abortedFor = 3
)

// upload is an object that is written in parts. As JSON it is what place.PutOptions.Save keeps.
type upload struct {
	*put `json:"-"`

	ID    string            `json:"id"`
	Size  int64             `json:"size"` // of the object
	Part  int64             `json:"part"` // size of all parts but the last
	Parts map[int]*sentPart `json:"parts"`
	Sum   string            `json:"sum,omitempty"` // of PutOptions.SHA256

	mu   sync.Mutex
	sent int64
}

// sentPart is a part that the server has.
type sentPart struct {
	sums
	ETag string `json:"etag"`
}

func sizeOfParts(size int64) int64 {
	if n := (size + maxParts - 1) / maxParts; n > partSize {
		return (n + 1<<20 - 1) >> 20 << 20
	}
	return partSize
}

func (p *put) inParts(ctx context.Context) (place.Info, error) {
	u := p.resume(ctx)
	if p.o.New {
		if err := p.try(ctx, func() error { return p.missing(ctx) }); err != nil {
			if u != nil && p.o.Discard && errors.Is(err, fs.ErrExist) {
				err = errors.Join(err, u.abort(ctx))
			}
			return place.Info{}, err
		}
	}
	if u == nil {
		var err error
		if u, err = p.begin(ctx); err != nil {
			return place.Info{}, err
		}
	}
	info, err := u.run(ctx)
	if errors.Is(err, errForgotten) {
		if info, err := u.verify(ctx, u.etag(), u.crc()); err == nil && u.complete() {
			return info, u.forget() // it was completed, and the answer lost
		}
		if u, err = p.begin(ctx); err == nil {
			info, err = u.run(ctx)
		}
	}
	switch {
	case u == nil:
	case err == nil:
		err = u.forget()
	case p.o.Save == nil || p.o.Discard || errors.Is(err, fs.ErrExist) || errors.Is(err, place.ErrChanged):
		err = errors.Join(err, u.abort(ctx))
	}
	return info, err
}

// missing returns fs.ErrExist if there is an object: all its parts would be sent in vain.
func (p *put) missing(ctx context.Context) error {
	_, err := p.client.StatObject(ctx, p.bucket, p.key, minio.StatObjectOptions{})
	if err == nil {
		return fmt.Errorf("%s: %w", p.name, fs.ErrExist)
	}
	if r := minio.ToErrorResponse(err); r.StatusCode == http.StatusNotFound {
		return nil
	}
	return err
}

// resume returns the upload that was saved, nil if there is none. It removes one of another body.
func (p *put) resume(ctx context.Context) *upload {
	u := &upload{put: p}
	if json.Unmarshal(p.o.Resume, u) != nil || u.ID == "" {
		return nil
	}
	if p.size <= partSize || u.Size != p.size || u.Sum != p.o.SHA256 || u.Part != sizeOfParts(p.size) || u.Parts == nil {
		_ = u.abort(ctx) // it is of no use, and may be gone
		return nil
	}
	return u
}

func (p *put) begin(ctx context.Context) (*upload, error) {
	u := &upload{put: p, Size: p.size, Sum: p.o.SHA256, Part: sizeOfParts(p.size), Parts: map[int]*sentPart{}}
	opts := minio.PutObjectOptions{ContentType: "application/octet-stream",
		UserMetadata: p.described(map[string]string{"X-Amz-Checksum-Algorithm": "CRC32C",
			"X-Amz-Checksum-Type": "FULL_OBJECT"})}
	err := p.try(ctx, func() (err error) {
		late, cancel := after(ctx, beginTime) // without the answer, nobody could remove what the server has begun
		defer cancel()
		u.ID, err = p.client.NewMultipartUpload(late, p.bucket, p.key, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := u.save(); err != nil {
		return nil, errors.Join(err, u.abort(ctx))
	}
	return u, nil
}

// after returns a context that ends some time after ctx.
func after(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-late.Done():
		case <-time.After(d):
			cancel()
		}
	})
	return late, func() { stop(); cancel() }
}

// save keeps the state. The caller holds u.mu, or is alone.
func (u *upload) save() error {
	if u.o.Save == nil {
		return nil
	}
	b, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return u.o.Save(b)
}

// forget reports that there is nothing to continue.
func (u *upload) forget() error {
	if u.o.Save == nil || !u.o.Discard {
		return nil
	}
	return u.o.Save(nil)
}

// errForgotten means that the server doesn't know the upload any more.
var errForgotten = errors.New("the server has no such upload")

func (u *upload) count() int { return int((u.size + u.Part - 1) / u.Part) }

// run sends the parts that the server doesn't have, and completes the object.
func (u *upload) run(ctx context.Context) (place.Info, error) {
	var next atomic.Int64
	errs := make([]error, inFlight)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for errs[i] == nil {
				n := int(next.Add(1))
				if n > u.count() {
					return
				}
				if errs[i] = u.send(ctx, n); errs[i] != nil {
					next.Store(maxParts) // the others only end their parts
				}
			}
		})
	}
	wg.Wait()
	if err := cmp.Or(errs...); err != nil {
		return place.Info{}, err
	}
	return u.finish(ctx)
}

// send sends a part, unless the server has it.
func (u *upload) send(ctx context.Context, number int) error {
	off := int64(number-1) * u.Part
	n := min(u.Part, u.size-off)
	s, err := u.sum(ctx, off, n)
	if err != nil {
		return err
	}
	u.mu.Lock()
	had := u.Parts[number]
	if had != nil && (had.CRC != s.CRC || string(had.MD5) != string(s.MD5)) {
		delete(u.Parts, number) // of another content, with which the upload may have been completed
		had = nil
	}
	u.mu.Unlock()
	if had == nil {
		var part minio.ObjectPart
		err := u.try(ctx, func() (err error) {
			part, err = u.client.PutObjectPart(ctx, u.bucket, u.key, u.ID, number, io.NewSectionReader(u.body, off, n), n,
				minio.PutObjectPartOptions{Md5Base64: s.md5(), CustomHeader: http.Header{checksumHeader: {s.crc()}}})
			return u.forgotten(err)
		})
		if err != nil {
			return err
		}
		had = &sentPart{s, part.ETag}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.Parts[number] = had
	u.sent += n
	u.o.Progress(u.sent)
	return u.save()
}

func (u *upload) forgotten(err error) error {
	if r, ok := errors.AsType[minio.ErrorResponse](err); ok && (r.Code == "NoSuchUpload" || r.Code == "InvalidPart") {
		return fmt.Errorf("%w: %w", errForgotten, err)
	}
	return err
}

func (u *upload) complete() bool { return len(u.Parts) == u.count() }

func (u *upload) finish(ctx context.Context) (place.Info, error) {
	parts := make([]minio.CompletePart, u.count())
	for i := range parts {
		part := u.Parts[i+1]
		parts[i] = minio.CompletePart{PartNumber: i + 1, ETag: part.ETag, ChecksumCRC32C: part.crc()}
	}
	opts := u.options(map[string]string{checksumHeader: u.crc(), "X-Amz-Checksum-Type": "FULL_OBJECT"})
	var info place.Info
	err := u.try(ctx, func() error {
		_, err := u.client.CompleteMultipartUpload(ctx, u.bucket, u.key, u.ID, parts, opts)
		return u.forgotten(err)
	})
	if err == nil {
		info, err = u.verify(ctx, "", u.crc())
	}
	return info, err
}

// crc returns the checksum of the whole object, from those of its parts.
func (u *upload) crc() string {
	if !u.complete() {
		return ""
	}
	list := make([]minio.ObjectPart, u.count())
	for i := range list {
		list[i] = minio.ObjectPart{PartNumber: i + 1, Size: min(u.Part, u.size-int64(i)*u.Part),
			ChecksumCRC32C: u.Parts[i+1].crc()}
	}
	sum, err := minio.ChecksumFullObjectCRC32C.FullObjectChecksum(list)
	if err != nil {
		return ""
	}
	return sum.Encoded()
}

// etag returns that of the object on servers that don't encrypt.
func (u *upload) etag() string {
	h := md5.New()
	for n := range u.count() {
		if part := u.Parts[n+1]; part != nil {
			h.Write(part.MD5)
		}
	}
	return fmt.Sprintf("%s-%d", hex.EncodeToString(h.Sum(nil)), u.count())
}

// abort removes the parts, also after ctx has ended.
func (u *upload) abort(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	for gone := 0; ; {
		err := u.client.AbortMultipartUpload(ctx, u.bucket, u.key, u.ID)
		switch {
		case err != nil && minio.ToErrorResponse(err).StatusCode == http.StatusNotFound:
			gone++
		case ctx.Err() == nil: // otherwise only the time is over
			gone = 0
		}
		if gone == abortedFor {
			return u.forget()
		}
		select {
		case <-ctx.Done():
			if err == nil || gone > 0 {
				return u.forget()
			}
			return fmt.Errorf("parts of %s stay in the store: %w", u.name, wrap(u.name, err))
		case <-time.After(abortPause):
		}
	}
}
