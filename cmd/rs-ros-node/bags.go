package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"rsros/bagstore"
	"rsros/node"
)

// What the commands over whole bag files share.

// errInterrupted is Ctrl-C during work on a file: unlike the end of a running
// node it leaves the work undone, and scripts must notice.
var errInterrupted = errors.New("interrupted before the end")

// undone words the error of work that left nothing behind.
func undone(err error) error {
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	if _, damaged := errors.AsType[*bagstore.FormatError](err); damaged {
		return fmt.Errorf("%w; recover makes a sound bag of what is whole", err)
	}
	return err
}

// selectionFlags choose messages.
func selectionFlags(f *pflag.FlagSet, s *node.Selection) {
	f.StringSliceVarP(&s.Topics, "topics", "t", nil, "topics to take, with commas between")
	f.StringArrayVarP(&s.Match, "regex", "e", nil, "take topics whose whole name matches")
	f.StringArrayVarP(&s.Exclude, "exclude", "x", nil, "leave out topics whose whole name matches")
	f.StringSliceVar(&s.Types, "types", nil, "take messages of these types, with commas between")
	f.StringVarP(&s.Start, "start", "s", "", "from this time on: seconds from the first message or since 1970, or a date")
	f.StringVar(&s.End, "end", "", "up to this time")
}

// outputFlags say how a bag is written; unless one says otherwise, as it was.
func outputFlags(f *pflag.FlagSet, o *bagstore.Options) {
	bagFlags(f, o)
	f.BoolFunc("uncompressed", "don't compress", func(string) error { o.Compression = bagstore.None; return nil })
}

// compressionOf is what most chunks of a bag have.
func compressionOf(ctx context.Context, path string) (bagstore.Compression, error) {
	s, err := bagstore.Info(ctx, path, bagstore.InfoOptions{})
	if err != nil {
		return "", err
	}
	if len(s.Compressions) == 0 {
		return bagstore.None, nil
	}
	return s.Compressions[0].Kind, nil
}

// placement says where the new version of a bag goes.
type placement struct {
	folder string // empty: in place of the old one
	force  bool   // replace files that are there
}

// replace makes a new version of a bag with the function it is given. In place,
// the old one is kept as NAME.orig.bag; the bag's name always stands for a whole
// file, the old one or the new one. It returns where the original is then.
func (p placement) replace(path string, write func(out string) error) (original string, err error) {
	if p.folder != "" {
		out := filepath.Join(p.folder, filepath.Base(path))
		if !sameFile(path, out) {
			if err := os.MkdirAll(p.folder, 0o777); err != nil {
				return "", err
			}
			return path, p.create(out, write)
		}
	}
	ext := filepath.Ext(path)
	backup := strings.TrimSuffix(path, ext) + ".orig" + ext
	if _, err := os.Lstat(backup); err == nil && !p.force {
		return "", fmt.Errorf("%s: the original would be kept as %s, which exists; --force replaces it", path, backup)
	}
	fresh := path + ".new"
	if err := write(fresh); err != nil {
		return "", errors.Join(err, removeIfThere(fresh))
	}
	if err := os.Rename(path, backup); err != nil {
		return "", errors.Join(err, removeIfThere(fresh))
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", errors.Join(err, os.Rename(backup, path), removeIfThere(fresh))
	}
	return backup, nil
}

func (p placement) create(out string, write func(string) error) error {
	if _, err := os.Lstat(out); err == nil && !p.force {
		return fmt.Errorf("%s exists; --force replaces it", out)
	}
	return write(out)
}

func sameFile(a, b string) bool {
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

// verdict sums up work on several bags: the worst outcome decides.
type verdict struct {
	damaged, failed []string
}

func (v *verdict) add(path string, o bagstore.Outcome) {
	switch o {
	case bagstore.Damaged:
		v.damaged = append(v.damaged, path)
	case bagstore.Unreadable:
		v.failed = append(v.failed, path)
	}
}

func (v *verdict) err(damaged, failed string) error {
	switch {
	case len(v.failed) > 0:
		return fmt.Errorf("%s: %s", failed, strings.Join(v.failed, ", "))
	case len(v.damaged) > 0:
		return fmt.Errorf("%w: %s: %s", node.ErrIncomplete, damaged, strings.Join(v.damaged, ", "))
	}
	return nil
}

// megabytes shows a size.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
