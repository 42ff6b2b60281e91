package catalog

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rsros/bagstore/place"
	"rsros/tools/batch"
)

// Recordings finds the recordings that inputs name: recordings, folders, and addresses that end with a slash. Paths
// become absolute.
func Recordings(ctx context.Context, inputs []string) (names []string, err error) {
	for _, in := range inputs {
		if !place.IsAddress(in) {
			if in, err = filepath.Abs(in); err != nil {
				return nil, err
			}
		}
		if _, err := os.Stat(filepath.Join(in, "metadata.yaml")); err == nil || !isFolder(in) {
			names = append(names, in)
			continue
		}
		begun := len(names)
		if err := batch.Visit(ctx, in, "", func(it batch.Item) { names = append(names, it.Path) }); err != nil {
			return nil, err
		}
		slices.Sort(names[begun:])
	}
	return names, nil
}

// IsRecording reports whether a file has the name of a recording.
func IsRecording(name string) bool {
	return slices.Contains([]string{".bag", ".db3", ".mcap"}, strings.ToLower(filepath.Ext(name)))
}

// catalogs returns the catalogs that inputs name: catalogs, and folders and addresses that end with a slash.
func catalogs(ctx context.Context, inputs []string) (names []string, err error) {
	for _, in := range inputs {
		if !isFolder(in) {
			names = append(names, in)
			continue
		}
		for f, err := range place.List(ctx, in) {
			if err != nil {
				return nil, err
			}
			if Is(f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names, nil
}

func isFolder(name string) bool {
	if place.IsAddress(name) {
		return strings.HasSuffix(name, "/")
	}
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}
