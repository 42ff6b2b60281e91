package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// entry is a file of an archive.
type entry struct {
	name string // in the archive, slash-separated
	from string
	mode fs.FileMode
}

// entries returns the files of an archive, sorted by name. Its folder is also a ROS package.
func (r *release) entries(p platform, program, documents string) ([]entry, error) {
	top := "rs-ros-node_" + r.version + "_" + p.name()
	list := []entry{{path.Join(top, "bin", p.program()), program, 0o755}}
	add := func(from, to string) error {
		return filepath.WalkDir(from, func(name string, found fs.DirEntry, err error) error {
			if err != nil || found.IsDir() {
				return err
			}
			rel, err := filepath.Rel(from, name)
			if err != nil {
				return err
			}
			mode := fs.FileMode(0o644)
			if strings.HasSuffix(name, ".sh") {
				mode = 0o755
			}
			list = append(list, entry{path.Join(top, to, filepath.ToSlash(rel)), name, mode})
			return nil
		})
	}
	for _, name := range []string{"README.md", "CHANGELOG.md", "LICENSE", "package.xml", "launch", "docs", "deploy/systemd"} {
		if err := add(filepath.Join(r.root, name), name); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"man", "completions", licensesFile} {
		if err := add(filepath.Join(documents, name), name); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// archive writes a zip file for Windows and a tar.gz file for others.
func (r *release) archive(p platform, program, documents string) error {
	list, err := r.entries(p, program, documents)
	if err != nil {
		return err
	}
	if p.os == "windows" {
		return create(r.path(p.name()+".zip"), func(w io.Writer) error { return r.writeZip(w, list) })
	}
	return create(r.path(p.name()+".tar.gz"), func(w io.Writer) error {
		return compress(w, func(w io.Writer) error { return r.writeTar(w, list) })
	})
}

// compress calls write with a writer that compresses like gzip -9n, without name and time.
func compress(w io.Writer, write func(io.Writer) error) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := write(z); err != nil {
		return err
	}
	return z.Close()
}

// create writes a file and closes it.
func create(name string, write func(w io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close() //nolint:errcheck // writing has failed
		return err
	}
	return f.Close()
}

func (r *release) writeTar(to io.Writer, list []entry) error {
	w := tar.NewWriter(to)
	for _, e := range list {
		text, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: e.name, Size: int64(len(text)), Mode: int64(e.mode), ModTime: r.time}); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return w.Close()
}

func (r *release) writeZip(to io.Writer, list []entry) error {
	w := zip.NewWriter(to)
	for _, e := range list {
		text, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: r.time}
		header.SetMode(e.mode)
		f, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
	}
	return w.Close()
}
