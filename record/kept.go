package record

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rsros/bagstore/place"
	"rsros/program/localfile"
	"rsros/record/upload"
	"rsros/tools/rewrite"
)

// kept is what a trigger keeps: parts in a folder of their own until its time is over, then one file. The names in the
// folder say how far that is, so that the next recorder finishes what a killed one has left:
//
//	parts                                      they aren't joined yet
//	a file named like the recording, or both   the file has all parts
//	none                                       the file is in its place
type kept struct {
	base, ext string // of the file
	lock      *os.File
	files     []ringFile // its parts; none if a killed recorder has left it
}

const (
	// partsSuffix is that of the folder of a trigger's parts.
	partsSuffix = ".parts"
	// keptLock is the name of the file that its recorder locks.
	keptLock = ".recording"
)

// newKept returns the empty one of a trigger. Its name is base or, if that is taken, base with a number.
func newKept(base, ext string) (*kept, error) {
	base, err := unusedName(base, func(base string) error {
		if unusedBase(base, ext) != base {
			return fs.ErrExist
		}
		return os.Mkdir(base+partsSuffix, 0o777)
	})
	if err != nil {
		return nil, err
	}
	return openKept(base, ext)
}

func openKept(base, ext string) (*kept, error) {
	lock, err := place.Lock(filepath.Join(base+partsSuffix, keptLock))
	return &kept{base: base, ext: ext, lock: lock}, err
}

// leftKept returns what triggers of killed recorders have kept, with bases that begin with a prefix.
func leftKept(prefix string) (left []*kept) {
	folders, _ := localfile.List(prefix, partsSuffix) // if it can't be read, a later recorder finds them
	for _, folder := range folders {
		if !exists(filepath.Join(folder, keptLock)) {
			continue
		}
		k, err := openKept(strings.TrimSuffix(folder, partsSuffix), extDB3)
		if err != nil {
			continue // its recorder runs
		}
		for _, ext := range []string{extMCAP, extBag} {
			if !exists(k.whole()) && len(k.parts()) == 0 {
				k.ext = ext
			}
		}
		left = append(left, k)
	}
	return left
}

// whole returns the path of the file until it has no parts any more.
func (k *kept) whole() string { return filepath.Join(k.base+partsSuffix, filepath.Base(k.base)+k.ext) }

// parts returns the parts' paths, in order.
func (k *kept) parts() []string {
	list := Files(k.whole())[1:]
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return list
}

// add moves a file here.
func (k *kept) add(f ringFile) error {
	base, _ := splitExt(k.whole())
	path := partPath(base, len(k.files), k.ext)
	if err := place.Rename(f.path, path, false); err != nil {
		return err
	}
	f.path = path
	k.files = append(k.files, f)
	return nil
}

// finish makes one file of the parts, or, if join fails with why, one of each, and puts them into their place and into
// the queue for upload. After err, what is left stays in the folder. Tests do something between the steps.
func (k *kept) finish(join func(parts []string, out string) error, uploads *upload.Queue, between func()) (
	paths []string, why, err error) {
	from := k.parts()
	if whole := k.whole(); len(from) != 1 || exists(whole) {
		if len(from) > 1 && !exists(whole) {
			why = join(from, whole)
			between()
		}
		if why == nil {
			for _, part := range from {
				if err := remove(part); err != nil {
					return nil, nil, errors.Join(err, k.lock.Close())
				}
				between()
			}
			from = []string{whole}
		}
	}
	for n, path := range from {
		to, err := k.place(path, n, len(from) > 1)
		if err != nil {
			return paths, why, errors.Join(err, k.lock.Close())
		}
		between()
		if to != "" {
			uploads.Begin(to)
			uploads.Finish(to)
			paths = append(paths, to)
		}
	}
	return paths, why, k.leave()
}

// place moves a file out of the folder, and returns its new path; "" if there is neither.
func (k *kept) place(from string, n int, numbered bool) (to string, err error) {
	name := func(base string) string {
		if numbered {
			return partPath(base, n, k.ext)
		}
		return base + k.ext
	}
	if !exists(from) { // a killed recorder has moved it
		if to = name(k.base); !exists(to) {
			to = ""
		}
		return to, nil
	}
	base, err := unusedName(k.base, func(base string) error {
		if to := name(base); !rewrite.SameFile(from, to) {
			return place.RenameDurably(from, to, false)
		}
		return remove(from) // a recorder was killed while it moved it
	})
	return name(base), err
}

// leave removes the folder.
func (k *kept) leave() error {
	return errors.Join(remove(k.whole()+place.Suffix), place.Unlock(k.lock), remove(k.base+partsSuffix))
}
