package upload

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rsros/bagstore/place"
	"rsros/program/localfile"
)

const (
	// suffix is that of the state of a file's upload, which is beside the file.
	suffix = ".upload"
	// activeSuffix is that of a file which wasn't closed (see package record).
	activeSuffix = ".active"
	// maxState bounds the size of a state in bytes. Ten thousand parts of an object take 2 MB.
	maxState = 16 << 20
)

// entry is the state of a file's upload, which a restart continues. It exists from when the file is
// created until the file is safe.
type entry struct {
	path string // of the file, without activeSuffix

	To      string `json:"to"`                // address
	Keep    bool   `json:"keep,omitempty"`    // the file stays when it is safe
	Resume  []byte `json:"resume,omitempty"`  // of place.PutOptions
	Stored  string `json:"stored,omitempty"`  // the object's version, once it is whole
	Version string `json:"version,omitempty"` // of the file that the object holds
	SHA256  string `json:"sha256,omitempty"`  // of the file, in hexadecimal
	Hashed  string `json:"hashed,omitempty"`  // version of the file that has SHA256
}

func readEntry(path string) (*entry, error) {
	b, err := localfile.Read(path+suffix, maxState)
	if err != nil {
		return nil, err
	}
	e := &entry{path: path}
	if err := json.Unmarshal(b, e); err != nil {
		return nil, fmt.Errorf("%s: %w", path+suffix, err)
	}
	if !place.IsAddress(e.To) {
		return nil, fmt.Errorf("%s: %q is no address", path+suffix, e.To)
	}
	return e, nil
}

func (e *entry) save() error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return place.Write(context.Background(), e.path+suffix, true, func(f *os.File) error {
		_, err := f.Write(b)
		return err
	})
}

// file returns the path of the file as it is now. It looks for the active name first: a recorder that finishes the file
// meanwhile gives it the other one, where an older file may be until then.
func (e *entry) file() (path string, st fs.FileInfo, err error) {
	for _, path = range []string{e.path + activeSuffix, e.path} {
		if st, err = os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return path, st, err
}

// errChanged means that the file isn't the one that was uploaded.
var errChanged = errors.New("the file changed while it was uploaded")

// send uploads the file, unless it is safe already, and ends the entry. The address of a file that wasn't closed ends
// in activeSuffix.
func (e *entry) send(ctx context.Context, progress func(int64)) error {
	path, _, err := e.file()
	if err != nil {
		return err
	}
	f, err := place.Open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	if e.Stored == "" || e.Version != f.Info().Version {
		if err := e.put(ctx, f, progress); err != nil {
			return err
		}
	}
	return e.end(path, f.Info().Version)
}

// put makes the object hold the file, under another name if the address has something else.
func (e *entry) put(ctx context.Context, f place.File, progress func(int64)) error {
	to := e.To + strings.TrimPrefix(f.Info().Name, e.path)
	if err := e.hash(ctx, f); err != nil {
		return err
	}
	save := func(b []byte) error { e.Resume = b; return e.save() }
	stored, err := place.Put(ctx, to, f, f.Info().Size, place.PutOptions{New: e.Stored == "", Replaces: e.Stored,
		Resume: e.Resume, SHA256: e.SHA256, Save: save, Progress: progress})
	if errors.Is(err, fs.ErrExist) {
		stored, err = e.compare(ctx, f, to)
	}
	if err != nil {
		return err
	}
	e.Resume, e.Stored, e.Version = nil, stored.Version, f.Info().Version
	return e.save()
}

// hash reads the file, unless its SHA-256 is known.
func (e *entry) hash(ctx context.Context, f place.File) error {
	if e.Hashed == f.Info().Version {
		return nil
	}
	h, size := sha256.New(), f.Info().Size
	n, err := io.CopyBuffer(h, io.NewSectionReader(place.Until(ctx, f), 0, size), make([]byte, 1<<20))
	if err != nil || n < size {
		return cmp.Or(err, io.ErrUnexpectedEOF)
	}
	e.SHA256, e.Hashed = hex.EncodeToString(h.Sum(nil)), f.Info().Version
	return e.save()
}

// compare reads the object that has the file's name: it was whole when a kill lost the state, or it
// is another one. Then the file gets another address.
func (e *entry) compare(ctx context.Context, f place.File, to string) (place.Info, error) {
	o, err := place.Open(ctx, to)
	if err != nil {
		return place.Info{}, err
	}
	defer o.Close() //nolint:errcheck // only read
	same, err := place.Equal(f, o)
	if err != nil || same {
		return o.Info(), err
	}
	ext := filepath.Ext(e.To)
	e.Resume, e.Stored, e.Version = nil, "", ""
	stamp := f.Info().Modified.UTC().Format("20060102-150405.000")
	e.To = strings.TrimSuffix(e.To, ext) + "-" + stamp + ext
	if err := e.save(); err != nil {
		return place.Info{}, err
	}
	return place.Info{}, fmt.Errorf("%s is another recording; %s becomes %s: %w", to, e.path, e.To, errRenamed)
}

// errRenamed means that an entry has another address now.
var errRenamed = errors.New("its name was taken")

// end removes the file, unless it is kept, and the state. A bag whose recorder was killed is kept with
// its tail file, which has the last messages: recover reads both.
func (e *entry) end(path, version string) error {
	tails, err := localfile.List(path+".tail-", "")
	if err != nil {
		return err
	}
	now, err := place.Stat(context.Background(), path)
	if err == nil && now.Version != version {
		err = errChanged
	}
	if err == nil && !e.Keep && len(tails) == 0 {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Remove(e.path + suffix)
}
