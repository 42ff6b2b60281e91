package record

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rsros/program/localfile"
	"rsros/record/topicfile"
)

// stampLayout is rosbag record's format of the time in a file name.
const stampLayout = "2006-01-02-15-04-05"

// The extensions of recordings, which determine their format.
const (
	extBag  = topicfile.Bag
	extDB3  = topicfile.DB3
	extMCAP = topicfile.MCAP
)

// splitExt splits a path into base and extension. ext is empty if the path has none of the
// extensions above; the recording is a bag then.
func splitExt(path string) (base, ext string) {
	for _, ext := range []string{extBag, extDB3, extMCAP} {
		if base, ok := strings.CutSuffix(path, ext); ok {
			return base, ext
		}
	}
	return path, ""
}

// partPath returns the path of part n of the recording at base, which has no extension.
func partPath(base string, n int, ext string) string {
	return fmt.Sprintf("%s_%d%s", base, n, cmp.Or(ext, extBag))
}

// unusedName returns the first of name, name-2, name-3 and so on for which try doesn't return fs.ErrExist.
func unusedName(name string, try func(name string) error) (got string, err error) {
	for n := 1; n <= maxNames; n++ {
		if got = name; n > 1 {
			got = fmt.Sprintf("%s-%d", name, n)
		}
		if err = try(got); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return got, err
}

const maxNames = 100

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// unusedBase returns a base, with a number appended if a recording of the same second has
// that name: --overwrite applies only to names that a user chose.
func unusedBase(base, ext string) string {
	got, _ := unusedName(base, func(base string) error { // if too many are taken, the first file gets another name
		if exists(base+ext) || exists(partPath(base, 0, ext)) {
			return fs.ErrExist
		}
		return nil
	})
	return got
}

// stampedPath returns a path in the form of rosbag record: the prefix and the local time.
// If the prefix is a folder, the file is inside it.
func stampedPath(prefix string, now time.Time, ext string) string {
	name := now.Format(stampLayout) + ext
	if isFolder(prefix) {
		return filepath.Join(prefix, name)
	}
	base, _ := splitExt(prefix)
	return base + "_" + name
}

// isFolder reports whether a prefix is a folder rather than the start of a name.
func isFolder(prefix string) bool {
	st, err := os.Stat(prefix)
	return err == nil && st.IsDir() || strings.HasSuffix(prefix, "/")
}

// Prefix returns the prefix for one of several cameras that share a prefix.
func Prefix(prefix, camera string) string {
	if isFolder(prefix) {
		return filepath.Join(prefix, camera)
	}
	base, _ := splitExt(prefix)
	return base + "_" + camera
}

// OfCamera returns the path for one of several cameras that share a path.
func OfCamera(path, camera string) string {
	base, ext := splitExt(path)
	return base + "_" + camera + cmp.Or(ext, extBag)
}

// Folder returns the folder of recordings with a prefix (see Camera.Serve).
func Folder(prefix string) string { return filepath.Dir(stampedPath(prefix, time.Time{}, extBag)) }

// Files returns path and the existing files that may be parts of a recording there.
func Files(path string) []string {
	files := []string{path}
	base, ext := splitExt(path)
	ext = cmp.Or(ext, extBag)
	list, _ := localfile.List(base+"_", ext) // a folder that can't be read is reported by the recorder
	for _, part := range list {
		if n, err := strconv.Atoi(part[len(base)+1 : len(part)-len(ext)]); err == nil && part == partPath(base, n, ext) {
			files = append(files, part)
		}
	}
	return files
}
