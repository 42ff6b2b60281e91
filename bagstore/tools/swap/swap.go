// Package swap replaces a file by a new version and keeps the old one next to it, or puts the new
// version into another folder. The file's name always refers to a complete file.
package swap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Placement says where the new version of a bag goes.
type Placement struct {
	Folder string // empty: in place of the old one
	Force  bool   // replace existing files
}

// Replace makes a new version of a file with write. In place, it keeps the original as
// NAME.orig.bag. It returns the original's path.
func (p Placement) Replace(path string, write func(out string) error) (original string, err error) {
	if p.Folder != "" {
		out := filepath.Join(p.Folder, filepath.Base(path))
		if !SameFile(path, out) {
			if err := os.MkdirAll(p.Folder, 0o777); err != nil {
				return "", err
			}
			return path, p.Create(out, write)
		}
	}
	ext := filepath.Ext(path)
	backup := strings.TrimSuffix(path, ext) + ".orig" + ext
	if _, err := os.Lstat(backup); err == nil && !p.Force {
		return "", fmt.Errorf("%s: the original would be kept as %s, which exists; --overwrite replaces it", path, backup)
	}
	fresh := path + ".new"
	if err := write(fresh); err != nil {
		return "", errors.Join(err, removeIfThere(fresh))
	}
	if err := p.keep(path, backup); err != nil {
		return "", errors.Join(err, removeIfThere(fresh))
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", errors.Join(err, os.Rename(backup, path), removeIfThere(fresh))
	}
	return backup, nil
}

// keep adds the old version's second name. Without hard links the first name is gone for a moment.
func (p Placement) keep(path, backup string) error {
	if p.Force {
		if err := removeIfThere(backup); err != nil {
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
func (p Placement) Create(out string, write func(string) error) error {
	if _, err := os.Lstat(out); err == nil && !p.Force {
		return fmt.Errorf("%s exists; --overwrite replaces it", out)
	}
	return write(out)
}

// SameFile reports whether two paths name the same existing file, after links.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
