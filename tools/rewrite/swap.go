package rewrite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rsros/bagstore/place"
)

// Placement is where the new version of a bag is written: elsewhere, or in place of the old one, which is kept
// next to it. The file's name always refers to a complete file.
type Placement struct {
	Output string // file, folder or address; empty: in place of the old one
	Folder bool   // Output is a folder, in which bags keep their names
	Force  bool   // replace existing files
}

// Resolve sets Folder for the new version of a bag, or of several: Output is a folder if there are several, it ends
// with a slash, or it exists as a folder.
func (p *Placement) Resolve(several bool) error {
	switch {
	case p.Output == place.Stream && several:
		return errors.New("only a single bag can go to standard output")
	case p.Output != "" && p.Output != place.Stream:
		st, err := os.Stat(p.Output)
		p.Folder = several || strings.HasSuffix(p.Output, "/") || err == nil && st.IsDir()
	}
	return nil
}

// Name returns the name of a bag's new version.
func (p Placement) Name(path string) string {
	switch {
	case p.Output == "":
		return path
	case p.Folder:
		return place.Join(p.Output, place.Base(path))
	}
	return p.Output
}

// Rewrite makes a new version of a file with write. In place, it keeps the original as NAME.orig.bag, and of a symbolic
// link it replaces the file. It returns the original's path. An Output that is the file itself is ErrSameFile.
func (p Placement) Rewrite(ctx context.Context, path string,
	write func(out string) error) (original string, err error) {
	if out := p.Name(path); p.Output != "" {
		if SameFile(path, out) {
			return "", ErrSameFile
		}
		if p.Folder && !place.IsAddress(out) {
			if err := os.MkdirAll(p.Output, 0o777); err != nil {
				return "", err
			}
		}
		return path, p.Create(ctx, out, write)
	}
	if place.IsAddress(path) {
		return "", ErrObject
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the link stays: it would become a second file, and its name with .orig a link to the old version
	}
	ext := filepath.Ext(path)
	backup := strings.TrimSuffix(path, ext) + ".orig" + ext
	if _, err := os.Lstat(backup); err == nil && !p.Force {
		return "", fmt.Errorf("%s: the original would be kept as %s, which exists; --overwrite replaces it", path, backup)
	}
	fresh := path + ".new"
	if err := write(fresh); err != nil {
		return "", errors.Join(err, place.Remove(ctx, fresh))
	}
	if err := p.keep(ctx, path, backup); err != nil {
		return "", errors.Join(err, place.Remove(ctx, fresh))
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", errors.Join(err, os.Rename(backup, path), place.Remove(ctx, fresh))
	}
	return backup, nil
}

// keep adds the old version's second name. Without hard links the first name is gone for a moment.
func (p Placement) keep(ctx context.Context, path, backup string) error {
	if p.Force {
		if err := place.Remove(ctx, backup); err != nil {
			return err
		}
	}
	err := os.Link(path, backup)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(path, backup)
}

// Create writes a new file with write. It replaces an existing one only with Force.
func (p Placement) Create(ctx context.Context, out string, write func(string) error) error {
	err := place.Free(ctx, out, p.Force)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; --overwrite replaces it", out)
	}
	if err != nil {
		return err
	}
	return write(out)
}

// SameFile reports whether two paths name the same existing file, after links, or two addresses are equal.
// Standard input isn't standard output.
func SameFile(a, b string) bool {
	if place.IsAddress(a) || place.IsAddress(b) {
		return a == b && a != place.Stream
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
