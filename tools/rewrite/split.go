package rewrite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
)

// SplitOptions are the options of Split. Without a limit there is one part.
type SplitOptions struct {
	Options                // without Keep
	Duration time.Duration // of a part
	Size     int64         // of a part in bytes; the last chunk may go past it
	Messages uint64        // in a part
	// RepeatLatched starts each part with the last message so far of each latching connection.
	RepeatLatched bool
}

// PartNames returns the names of a bag's parts: a prefix, by default the bag's name, and a number. The error is that
// the bag has a name that a part may get.
func PartNames(path, prefix string) (name func(part int) string, err error) {
	own := strings.TrimSuffix(path, filepath.Ext(path))
	if !place.IsAddress(path) {
		own = strings.TrimSuffix(filepath.Clean(path), filepath.Ext(path)) // path may be a folder
	}
	if prefix == os.DevNull {
		prefix += "/" // the parts go into it, not beside it
	}
	to := Placement{Output: prefix}
	if err := to.Resolve(false); err != nil {
		return nil, err
	}
	prefix = to.Name(own)
	name = func(n int) string { return fmt.Sprintf("%s_%03d.bag", prefix, n) }
	names, start := []string{path}, prefix
	if !place.IsAddress(prefix) {
		names = nil
		entries, err := os.ReadDir(filepath.Dir(prefix))
		if err != nil {
			return name, nil // there are no files
		}
		for _, e := range entries {
			names = append(names, filepath.Join(filepath.Dir(prefix), e.Name()))
		}
		start = filepath.Clean(prefix)
	}
	for _, part := range names {
		number, ok := strings.CutPrefix(part, start+"_")
		if ok && strings.Trim(strings.TrimSuffix(number, ".bag"), "0123456789") == "" && SameFile(path, part) {
			return nil, fmt.Errorf("%s is the input", part)
		}
	}
	return name, nil
}

// Split copies a bag into parts in time order. name returns the path of a part, from 0. After an
// error, complete parts remain.
func Split(ctx context.Context, b *bagstore.Recording, name func(part int) string, o SplitOptions) ([]Part, error) {
	c := newCopier(ctx, []*bagstore.Recording{b}, name, o)
	defer c.release()
	err := c.end(c.run())
	return c.parts, err
}
