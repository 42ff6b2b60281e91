package library

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"rsros/bagstore/place"
	"rsros/program/localfile"
	"rsros/tools/batch"
)

// maxDepth is the depth to which folders below a folder are listed.
const maxDepth = 4

// folder has the recordings below a folder. Names can't reach files outside of it, even through links, because every
// name is opened through an os.Root.
type folder struct {
	dir  string
	root *os.Root
}

func openFolder(dir string) (*folder, error) {
	root, err := os.OpenRoot(dir)
	return &folder{dir, root}, err
}

func (f *folder) close() error { return f.root.Close() }

func (f *folder) list(ctx context.Context) ([]batch.Item, error) {
	var files []batch.Item
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return err
		case err != nil, d.IsDir() && strings.Count(name, "/") >= maxDepth:
			return fs.SkipDir
		case d.IsDir() || !isPart(name):
			return nil
		case len(files) == maxFiles:
			return fs.SkipAll
		}
		files = append(files, f.item(name))
		return nil
	})
	return batch.Recordings(f.dir, files), err
}

// item returns an item whose version is made of sizes and times. Those of a .db3 file's write-ahead log and journal are
// part of it.
func (f *folder) item(name string) batch.Item {
	out := batch.Item{Name: name}
	for i, file := range []string{name, name + "-wal", name + "-journal"} {
		if st, err := f.root.Stat(file); err == nil {
			out.Version += fmt.Sprintf("%d %d;", st.Size(), st.ModTime().UnixNano())
			if i == 0 {
				out.Size = st.Size()
			}
		}
	}
	return out
}

func (f *folder) place(name string) (string, error) {
	st, err := f.root.Stat(name)
	switch {
	case err != nil:
		return "", errNoRecording
	case st.IsDir():
		parts, err := fs.ReadDir(f.root.FS(), name)
		for _, part := range parts {
			if st, e := f.root.Stat(path.Join(name, part.Name())); isPart(part.Name()) && (e != nil || !st.Mode().IsRegular()) {
				err = errNoRecording // such as a link out of the folder
			}
		}
		if err != nil {
			return "", errNoRecording
		}
	case !st.Mode().IsRegular():
		return "", errNoRecording
	}
	return filepath.Join(f.dir, filepath.FromSlash(name)), nil
}

func (f *folder) open(_ context.Context, name string) (place.File, error) {
	file, err := localfile.OpenIn(f.root, name)
	if err != nil {
		return nil, err
	}
	return place.FromFile(file, name)
}
