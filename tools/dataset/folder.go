package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rsros/bagstore/place"
	"rsros/camdriver"
	"rsros/tools/export"
)

// Folder is a data set on the disk. Each file gets its name when it is complete, and the manifest comes last. Images
// that a killed program has written are kept; tables are written again, which gives the same. It is for one goroutine.
type Folder struct {
	*export.Files
	lock     *os.File
	manifest manifest
	closers  []func() error // of other open files, after an error
}

// manifest describes a data set.
type manifest struct {
	Form      string      `json:"form"`
	Sequences []*Sequence `json:"sequences"`
	Lost      []string    `json:"lost,omitempty"` // what was left out
	Options   Options     `json:"made_from"`
}

const (
	manifestName = "manifest.json"
	requestName  = ".request.json" // while the data set isn't complete
	PartsName    = ".parts"        // what is known of complete sequences until then
)

// newManifest returns the manifest of a requested data set, without its sequences.
func newManifest(ctx context.Context, o Options) (manifest, error) {
	m := manifest{Form: o.Form, Options: o}
	for _, in := range o.In {
		version, err := versionOf(ctx, in)
		if err != nil {
			return m, err
		}
		m.Options.Versions = append(m.Options.Versions, version)
	}
	return m, nil
}

// completed returns the manifest of the data set at a place, if it is complete and what is asked for.
func completed(ctx context.Context, dir string, want manifest) (m manifest, ok bool) {
	text, err := place.Read(ctx, place.Join(dir, manifestName), MaxText)
	return m, err == nil && json.Unmarshal(text, &m) == nil && sameRequest(m, want)
}

// openFolder creates a folder, or continues one of the same request.
func openFolder(ctx context.Context, dir string, m manifest, overwrite bool) (*Folder, error) {
	f := &Folder{Files: export.NewFiles(dir, true), manifest: m}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	want, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, requestName)
	before, err := place.Read(ctx, path, MaxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if !bytes.Equal(before, want) {
		if err := f.begin(overwrite); err != nil {
			return nil, err
		}
	}
	if f.lock, err = place.Lock(path); err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, want, 0o666); err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	return f, nil
}

// maxText bounds the files that are read: a line or two for each recording and stream.
const MaxText = 64 << 20

// versionOf returns a text that changes when a recording does.
func versionOf(ctx context.Context, name string) (string, error) {
	if !place.IsAddress(name) {
		st, err := os.Stat(name)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d-%d", st.Size(), st.ModTime().UnixNano()), nil
	}
	info, err := place.Stat(ctx, name)
	if errors.Is(err, fs.ErrNotExist) { // a folder; opening it reports what is missing
		return "", nil
	}
	return info.Version, err
}

func sameRequest(a, b manifest) bool {
	same := func(m manifest) string { // the order of a selection's fields differs after reading
		var v any
		text, err := json.Marshal(manifest{Form: m.Form, Options: m.Options})
		if err != nil || json.Unmarshal(text, &v) != nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	x := same(a)
	return x != "" && x == same(b)
}

// begin checks that the folder is empty, or empties it.
func (f *Folder) begin(overwrite bool) error {
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 && !overwrite {
		return fmt.Errorf("%s: the folder is neither empty nor the beginning of this data set: %w", f.Dir, fs.ErrExist)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, manifestName)); len(entries) > 0 && err != nil {
		if _, err := os.Stat(filepath.Join(f.Dir, requestName)); err != nil {
			return fmt.Errorf("%s: the folder is not a data set; --overwrite doesn't remove it: %w", f.Dir, fs.ErrExist)
		}
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(f.Dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// finish completes all files and writes the manifest.
func (f *Folder) finish() error {
	if err := f.sync(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(f.manifest, "", " ")
	if err != nil {
		return err
	}
	if err := f.Text(manifestName, append(text, '\n')); err != nil {
		return err
	}
	return removeIncomplete(f.Dir)
}

// removeIncomplete removes what only an incomplete data set has.
func removeIncomplete(dir string) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir, PartsName)), os.RemoveAll(filepath.Join(dir, requestName)))
}

// sync waits for images, and completes tables.
func (f *Folder) sync() error {
	f.closers = nil
	return f.Finish(nil)
}

// close releases what an error has left open.
func (f *Folder) close(err error) error {
	err = f.Finish(err)
	for _, c := range f.closers {
		_ = c()
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	if entries, none := os.ReadDir(f.Dir); none == nil && len(entries) == 1 && entries[0].Name() == requestName {
		err = errors.Join(err, os.RemoveAll(f.Dir)) // nothing was done
	}
	return err
}

// Keep takes a sequence that an interrupted run has completed into the manifest.
func (f *Folder) Keep(s *Sequence, lost []string) {
	f.manifest.Sequences = append(f.manifest.Sequences, s)
	f.manifest.Lost = append(f.manifest.Lost, lost...)
}

// OnError adds what releases a file that an error leaves open.
func (f *Folder) OnError(release func() error) { f.closers = append(f.closers, release) }

// image writes a frame that passed Check as a PNG, unless it is there. It retains the frame while it is needed.
func (f *Folder) image(name string, frame *camdriver.Frame) error {
	if st, err := os.Stat(filepath.Join(f.Dir, filepath.FromSlash(name))); err == nil && st.Size() > 0 {
		return nil
	}
	p := export.FrameImage(frame)
	p.Stored = f.manifest.Options.Uncompressed
	return f.Go(name, frame.Retain().Release, p.Encode)
}
