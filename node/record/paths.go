package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// stampLayout is how rosbag record writes the time into a file name.
const stampLayout = "2006-01-02-15-04-05"

// partPath is the name of a part of the recording at base, with .bag or without.
func partPath(base string, n int) string {
	return fmt.Sprintf("%s_%d.bag", strings.TrimSuffix(base, ".bag"), n)
}

// unusedPath is path, or path with a number where a recording of the same second
// has it already.
func unusedPath(path string) string {
	base := strings.TrimSuffix(path, ".bag")
	taken := func(path string) bool { _, err := os.Lstat(path); return err == nil }
	for n := 2; taken(path) || taken(partPath(path, 0)); n++ {
		path = fmt.Sprintf("%s-%d.bag", base, n)
	}
	return path
}

// stampedPath is a file name as rosbag record makes them: the local time, after
// the prefix where that isn't a folder.
func stampedPath(prefix string, now time.Time) string {
	name := now.Format(stampLayout) + ".bag"
	if st, err := os.Stat(prefix); err == nil && st.IsDir() || strings.HasSuffix(prefix, "/") {
		return filepath.Join(prefix, name)
	}
	return strings.TrimSuffix(prefix, ".bag") + "_" + name
}
