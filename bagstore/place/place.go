// Package place opens, lists and writes files at paths and at addresses such as s3://bucket/walk.bag.
// Each scheme of addresses has a [Store]. The program registers those with a client of their own, so that
// libraries don't depend on it. A written file gets its name when it is complete.
package place

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Info describes an object or a regular file.
type Info struct {
	Name     string // path or address
	Size     int64
	Version  string // changes with the content
	Modified time.Time
}

// Store holds objects. It is safe for concurrent use. Names are whole addresses.
type Store interface {
	// Open finds the newest version of an object.
	Open(ctx context.Context, name string) (Object, error)
	// List yields the objects whose names begin with prefix, in the order of names.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
	// Put writes an object, whole or not at all.
	Put(ctx context.Context, name string, body io.ReaderAt, size int64, o PutOptions) (Info, error)
	// Remove removes an object. There may be none.
	Remove(ctx context.Context, name string) error
}

// Object is one version of an object.
type Object interface {
	Info() Info
	// Range returns a reader of n bytes at off, which lie in the object. The error is
	// ErrChanged if there is another version. It is tried once.
	Range(ctx context.Context, off, n int64) (io.ReadCloser, error)
}

// Header is an Object whose first bytes came with Open.
type Header interface{ Head() []byte }

// PutOptions are the options of Put.
type PutOptions struct {
	// New refuses to replace an object, with fs.ErrExist.
	New bool
	// Replaces, if not empty, is the only version that may be replaced. Otherwise the error is ErrChanged.
	Replaces string
	// Resume is what Save was last called with for the same body, nil at first.
	Resume []byte
	// Save, if not nil, keeps what is needed to continue after a restart.
	Save func([]byte) error
	// Discard leaves nothing in the store after an error, although Save is set. Save(nil) reports that there is
	// nothing to continue any more.
	Discard bool
	// SHA256, if not empty, is the body's, in hexadecimal. An S3 store keeps it with the object, and Checksum returns it.
	SHA256 string
	// Progress, if not nil, is told how many bytes are in the store.
	Progress func(n int64)
}

// stores are those of the process, by scheme.
var stores = struct {
	sync.RWMutex
	byScheme map[string]Store
}{byScheme: map[string]Store{"http": theWeb, "https": theWeb}}

// Register makes a store available for addresses with a scheme, beside http and https. It is called before all
// other functions.
func Register(scheme string, s Store) {
	stores.Lock()
	defer stores.Unlock()
	stores.byScheme[scheme] = s
}

// scheme returns what is before :// in an address, Stream for Stream and names beside it, the null device for
// itself and names below it, and "" for a path. A Windows path has none.
func scheme(name string) string {
	for _, s := range []string{Stream, os.DevNull} {
		if rest, ok := strings.CutPrefix(name, s); ok && (rest == "" || rest[0] == '/') {
			return s
		}
	}
	s, _, ok := strings.Cut(name, "://")
	if !ok || len(s) < 2 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return s
}

// IsAddress reports whether a name is an address, of whatever scheme, and not a path.
func IsAddress(name string) bool { return scheme(name) != "" }

// storeOf returns the store of an address, which is folders for a path.
func storeOf(name string) (Store, error) {
	s := scheme(name)
	switch s {
	case "":
		return folders{}, nil
	case os.DevNull:
		return nowhere{}, nil
	}
	stores.RLock()
	defer stores.RUnlock()
	if store, ok := stores.byScheme[s]; ok {
		return store, nil
	}
	switch s {
	case "gs":
		return nil, fmt.Errorf("%s://…: %w; with AWS_ENDPOINT_URL=https://storage.googleapis.com and an HMAC key, s3://… is Google Cloud Storage", s, ErrScheme)
	case "azblob":
		return nil, fmt.Errorf("%s://…: %w; Azure Blob Storage is read at https://… with a shared access signature",
			s, ErrScheme)
	}
	return nil, fmt.Errorf("%s://…: %w; this program has: %s", s, ErrScheme,
		strings.Join(slices.Sorted(maps.Keys(stores.byScheme)), ", "))
}

// Stat describes a file or object. The error for a folder is localfile.ErrNotRegular.
func Stat(ctx context.Context, name string) (Info, error) {
	s, err := storeOf(name)
	if err != nil {
		return Info{}, err
	}
	o, err := open(ctx, s, Redact(name))
	if err != nil {
		return Info{}, err
	}
	if c, ok := o.(io.Closer); ok {
		defer c.Close() //nolint:errcheck // only read
	}
	return o.Info(), nil
}

// Summer is a Store that may have checksums of whole objects.
type Summer interface {
	// Checksum returns that of an object, if it is of this version: algorithm:hexadecimal. It is "" if the store has none.
	Checksum(ctx context.Context, name, version string) (string, error)
}

// Checksum returns the checksum that the store has of a version of an object, such as crc32c:e3069283, "" if it has
// none. Nothing is read to compute it.
func Checksum(ctx context.Context, name, version string) (string, error) {
	s, err := storeOf(name)
	if summer, ok := s.(Summer); ok && err == nil {
		return summer.Checksum(ctx, name, version)
	}
	return "", err
}

// Prober is a Store that can try to write.
type Prober interface {
	// Probe returns the error that writing an object would have now. It leaves nothing.
	Probe(ctx context.Context, name string) error
}

// Probe tries whether an object can be written, if the store can try.
func Probe(ctx context.Context, name string) error {
	s, err := storeOf(name)
	if p, ok := s.(Prober); ok && err == nil {
		return p.Probe(ctx, name)
	}
	return err
}

// Read reads a file or object of at most max bytes.
func Read(ctx context.Context, name string, max int) ([]byte, error) {
	f, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.NewSectionReader(f, 0, int64(max)+1))
	if err == nil && len(b) > max {
		err = fmt.Errorf("read %s: it has more than %d bytes", name, max)
	}
	return b, err
}

// Bounds of a listing of an address: callers keep it.
const (
	maxListed     = 1 << 20
	maxListedText = 128 << 20 // bytes of names and versions
)

// List yields the files below a folder, or the objects whose addresses begin with prefix,
// in the order of names. What an address lists is bounded by an error, which is ErrUnusable.
func List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		prefix := Redact(prefix)
		s, err := storeOf(prefix)
		if err != nil {
			yield(Info{}, err)
			return
		}
		left, text := maxListed, maxListedText
		for i, err := range s.List(ctx, prefix) {
			left, text = left-1, text-len(i.Name)-len(i.Version)
			if err == nil {
				err = checkSize(i)
			}
			if err == nil && IsAddress(prefix) && (left < 0 || text < 0) {
				err = fmt.Errorf("list %s: it has more than %d objects, or names of more than %d bytes: %w", prefix,
					maxListed, maxListedText, ErrUnusable)
			}
			if !yield(i, err) || err != nil {
				return
			}
		}
	}
}

// Put writes a file or object, whole or not at all.
func Put(ctx context.Context, name string, body io.ReaderAt, size int64, o PutOptions) (Info, error) {
	s, err := storeOf(name)
	if err != nil {
		return Info{}, err
	}
	return s.Put(ctx, name, body, size, o)
}

// Remove removes a file or object. There may be none.
func Remove(ctx context.Context, name string) error {
	s, err := storeOf(name)
	if err != nil {
		return err
	}
	return s.Remove(ctx, name)
}

// cutQuery cuts an address of http or https before its query or fragment.
func cutQuery(name string) (bare, query string) {
	if s := scheme(name); s != "http" && s != "https" {
		return name, ""
	}
	at := strings.IndexAny(name, "?#")
	if at < 0 {
		return name, ""
	}
	return name[:at], name[at:]
}

// Base returns the last element of a name, without a query.
func Base(name string) string {
	if IsAddress(name) {
		bare, _ := cutQuery(name)
		return path.Base(bare)
	}
	return filepath.Base(name)
}

// Sibling returns the name of a file in the folder that name is in. A query stays: it may be a key to the folder.
func Sibling(name, file string) string {
	if name == Stream {
		return Join(name, file)
	}
	if IsAddress(name) {
		bare, query := cutQuery(secretURL(name))
		return Redact(bare[:strings.LastIndex(bare, "/")+1] + file + query)
	}
	return filepath.Join(filepath.Dir(name), file)
}

// Join adds elements, which are separated by slashes, to a folder or a prefix.
func Join(name string, elements ...string) string {
	rest := path.Join(elements...)
	if IsAddress(name) {
		return strings.TrimSuffix(name, "/") + "/" + rest
	}
	return filepath.Join(name, filepath.FromSlash(rest))
}
