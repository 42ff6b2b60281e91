package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// stampLayout is how rosbag record formats the time in a file name.
const stampLayout = "2006-01-02-15-04-05"

// partPath is the path of part n of the recording at base, which may end in .bag.
func partPath(base string, n int) string {
	return fmt.Sprintf("%s_%d.bag", strings.TrimSuffix(base, ".bag"), n)
}

// unusedPath returns path, with a number appended if a recording of the same second
// already has that name: --overwrite is about names that a user chose.
func unusedPath(path string) string {
	base := strings.TrimSuffix(path, ".bag")
	taken := func(path string) bool { _, err := os.Lstat(path); return err == nil }
	for n := 2; taken(path) || taken(partPath(path, 0)); n++ {
		path = fmt.Sprintf("%s-%d.bag", base, n)
	}
	return path
}

// stampedPath returns a file name as rosbag record makes them: the prefix and the
// local time. If the prefix is a folder, the file is inside it.
func stampedPath(prefix string, now time.Time) string {
	name := now.Format(stampLayout) + ".bag"
	if isFolder(prefix) {
		return filepath.Join(prefix, name)
	}
	return strings.TrimSuffix(prefix, ".bag") + "_" + name
}

// isFolder says whether a prefix is a folder, and no beginning of a name.
func isFolder(prefix string) bool {
	st, err := os.Stat(prefix)
	return err == nil && st.IsDir() || strings.HasSuffix(prefix, "/")
}

// Prefix returns a prefix for the recordings of one of several cameras that share one.
func Prefix(prefix, camera string) string {
	if isFolder(prefix) {
		return filepath.Join(prefix, camera)
	}
	return strings.TrimSuffix(prefix, ".bag") + "_" + camera
}

// Folder returns the folder of the files that a recording with this prefix creates.
// See Camera.Serve for what a prefix is.
func Folder(prefix string) string { return filepath.Dir(stampedPath(prefix, time.Time{})) }

// Files returns path and the existing files that have the name of a part of a
// recording at path.
func Files(path string) []string {
	files := []string{path}
	dir, base := filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".bag")
	entries, _ := os.ReadDir(dir) // a folder that can't be read is reported by the recorder
	for _, e := range entries {
		number, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".bag"), base+"_")
		if n, err := strconv.Atoi(number); ok && err == nil && e.Name() == partPath(base, n) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}
