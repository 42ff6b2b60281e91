package catalog

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rsros/bagstore/place"
)

// Recordings finds the recordings that inputs name: recordings, folders, and addresses that end with a slash. Paths
// become absolute.
func Recordings(ctx context.Context, inputs []string) ([]string, error) {
	return list(ctx, inputs, IsRecording)
}

// IsRecording reports whether a file has the name of a recording.
func IsRecording(name string) bool {
	return slices.Contains([]string{".bag", ".db3", ".mcap"}, strings.ToLower(filepath.Ext(name)))
}

// list returns inputs, and for folders and addresses that end with a slash what is below them and wanted.
func list(ctx context.Context, inputs []string, wanted func(string) bool) (names []string, err error) {
	for _, in := range inputs {
		if !place.IsAddress(in) {
			if in, err = filepath.Abs(in); err != nil {
				return nil, err
			}
			if st, err := os.Stat(in); err != nil || !st.IsDir() {
				names = append(names, in)
				continue
			}
		} else if !strings.HasSuffix(in, "/") {
			names = append(names, in)
			continue
		}
		for f, err := range place.List(ctx, in) {
			if err != nil {
				return nil, err
			}
			if wanted(f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names, nil
}
