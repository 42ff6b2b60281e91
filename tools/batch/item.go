package batch

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"rsros/bagstore/place"
	"rsros/program/localfile"
)

// Item is a recording: a file, or a folder of rosbag2.
type Item struct {
	Name    string // below the folder, separated by slashes
	Path    string // path or address
	Size    int64
	Version string
	Folder  bool
	Err     error // why it can't be worked on, or nil
}

const (
	metadataName = "metadata.yaml"
	walSuffix    = ".db3-wal"
	// ownFolder has the markers and unfinished outputs.
	ownFolder = ".batch"
	// maxItems bounds the memory for a listing.
	maxItems = 1 << 20
)

// List finds the recordings below a folder or address, in the order of names: files whose names end in .bag,
// .bag.active, .db3 or .mcap, the latter two also with .zstd, and folders of rosbag2, which are one item with their
// metadata.yaml. If the folder or address without is below in, what it has isn't listed. Without any recording, it
// returns an error.
func List(ctx context.Context, in, without string) (items []Item, err error) {
	err = Visit(ctx, in, without, func(it Item) { items = append(items, it) })
	slices.SortFunc(items, Item.compare)
	return items, err
}

// Visit calls f with what List finds, in no order. It holds only the files of which a folder of rosbag2 may consist.
func Visit(ctx context.Context, in, without string, f func(Item)) error {
	if Below(without, in) {
		without = ""
	}
	files, found, parts := 0, 0, make(parts)
	visit := func(it Item) { found++; f(it) }
	for info, err := range listFolder(ctx, in) {
		if err != nil {
			return err
		}
		name, ok := below(in, info.Name)
		if !ok || without != "" && Below(without, info.Name) || !isPart(name) ||
			slices.Contains(strings.Split(name, "/"), ownFolder) {
			continue
		}
		it := Item{Name: name, Path: info.Name, Size: info.Size, Version: info.Version}
		if !isName(name) {
			it.Err = errName
		}
		if files++; files > maxItems {
			return fmt.Errorf("%s: %w", in, errMany)
		}
		parts.add(it, visit)
	}
	if isFolder(parts["."]) {
		return fmt.Errorf("%s is a recording itself; name the folder above it", in)
	}
	if parts.join(in, visit); found == 0 {
		return fmt.Errorf("%s has no recordings; links aren't followed", in)
	}
	return nil
}

// Recordings returns what the files below a folder or address are, in the order of names: recordings, and folders of
// rosbag2 below it, which are one item with the files in them. The result reuses the memory of files.
func Recordings(in string, files []Item) []Item {
	items, parts := files[:0], make(parts)
	keep := func(it Item) { items = append(items, it) }
	for _, it := range files {
		parts.add(it, keep)
	}
	parts.join(in, keep)
	slices.SortFunc(items, Item.compare)
	return items
}

func (it Item) compare(other Item) int { return strings.Compare(it.Name, other.Name) }

// parts are the files of each folder that may be one of rosbag2.
type parts map[string][]Item

// add keeps a file until join, or calls f if it is a recording whatever is beside it.
func (p parts) add(it Item, f func(Item)) {
	if dir := path.Dir(it.Name); it.Err == nil && !isBag(it.Name) {
		p[dir] = append(p[dir], it)
	} else if !IsCompanion(it.Name) {
		f(it)
	}
}

// join calls f with the recordings that the files are.
func (p parts) join(in string, f func(Item)) {
	for name, files := range p {
		if name != "." && isFolder(files) {
			f(joined(Item{Name: name, Path: place.Join(in, name)}, files))
			continue
		}
		for _, it := range files {
			if !IsCompanion(it.Name) {
				f(it)
			}
		}
	}
}

// listFolder lists the files below a folder, which may be a link, or an address.
func listFolder(ctx context.Context, folder string) func(func(place.Info, error) bool) {
	return func(yield func(place.Info, error) bool) {
		if !place.IsAddress(folder) {
			st, err := os.Stat(folder)
			if err == nil && !st.IsDir() {
				err = fmt.Errorf("%s is not a folder", folder)
			}
			if err != nil {
				yield(place.Info{}, err)
				return
			}
		}
		for info, err := range place.List(ctx, strings.TrimRight(folder, "/")+"/") {
			if err != nil {
				err = fmt.Errorf("list %s: %w", folder, err)
			}
			if !yield(info, err) || err != nil {
				return
			}
		}
	}
}

// Below reports whether a file, folder or address is a folder or address, or below it.
func Below(folder, name string) bool {
	if place.IsAddress(folder) || place.IsAddress(name) {
		_, ok := below(folder, strings.TrimRight(name, "/")+"/")
		return ok
	}
	from, err := filepath.Abs(folder)
	to, err2 := filepath.Abs(name)
	_, ok := below(from, to)
	return ok && folder != "" && err == nil && err2 == nil
}

// below returns a file's name below a folder or address, separated by slashes.
func below(folder, name string) (string, bool) {
	if place.IsAddress(folder) || place.IsAddress(name) {
		return strings.CutPrefix(name, strings.TrimRight(folder, "/")+"/")
	}
	rel, err := filepath.Rel(folder, name)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

func (it Item) now(ctx context.Context) (Item, error) {
	if !it.Folder {
		info, err := place.Stat(ctx, it.Path)
		it.Size, it.Version = info.Size, info.Version
		return it, err
	}
	var parts []Item
	for info, err := range listFolder(ctx, it.Path) {
		if err != nil {
			return it, err
		}
		name, _ := below(it.Path, info.Name)
		if isPart(name) && !isBag(name) && !strings.Contains(name, "/") {
			parts = append(parts, Item{Name: name, Size: info.Size, Version: info.Version})
		}
		if len(parts) > maxItems {
			return it, errMany
		}
	}
	return joined(it, parts), nil
}

func joined(it Item, parts []Item) Item {
	h := sha256.New()
	it.Folder, it.Size = true, 0
	for _, p := range parts {
		it.Size += p.Size
		fmt.Fprintf(h, "%q %q\n", path.Base(p.Name), p.Version)
	}
	it.Version = fmt.Sprintf("%x", h.Sum(nil)[:16])
	return it
}

// Select finds recordings as List does: all, or those that a file names, one on each line. It refuses those whose
// outputs collide; output may be nil.
func Select(ctx context.Context, in, without, list string, output func(name string) string) ([]Item, error) {
	items, err := List(ctx, in, without)
	if err != nil {
		return nil, err
	}
	if output != nil {
		rejectDuplicates(items, output)
	}
	if list == "" {
		return items, nil
	}
	f, err := localfile.Open(list)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	if items, err = only(items, in, f); err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	return items, nil
}

// only returns the items that a list names, one on each line, by their names or with the folder or address before
// them. A name that isn't there becomes an item with an error.
func only(items []Item, in string, list io.Reader) ([]Item, error) {
	byName := make(map[string]Item, len(items))
	for _, it := range items {
		byName[it.Name] = it
	}
	var chosen []Item
	seen := make(map[string]bool)
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		name := strings.TrimRight(lines.Text(), "/\r")
		it, ok := byName[name]
		if rel, isBelow := below(in, name); !ok && isBelow {
			name = rel
			it, ok = byName[name]
		}
		if name == "" || seen[name] {
			continue
		}
		if !ok {
			it = Item{Name: name, Path: name, Err: fmt.Errorf("no such recording: %w", fs.ErrNotExist)}
		}
		seen[name] = true
		if chosen = append(chosen, it); len(chosen) > maxItems {
			return nil, errMany
		}
	}
	return chosen, lines.Err()
}

// isPart reports whether a file may belong to a recording.
func isPart(name string) bool { return isBag(name) || isStorage(name) || IsCompanion(name) }

// IsCompanion reports whether a file may belong to a recording without being one.
func IsCompanion(name string) bool {
	return path.Base(name) == metadataName || strings.HasSuffix(name, walSuffix)
}

func isBag(name string) bool {
	return strings.HasSuffix(name, ".bag") || strings.HasSuffix(name, ".bag.active")
}

func isStorage(name string) bool {
	name = strings.TrimSuffix(name, ".zstd")
	return strings.HasSuffix(name, ".db3") || strings.HasSuffix(name, ".mcap")
}

// isFolder reports whether the files of a folder are a recording of rosbag2.
func isFolder(files []Item) bool {
	return slices.ContainsFunc(files, func(it Item) bool { return path.Base(it.Name) == metadataName }) &&
		slices.ContainsFunc(files, func(it Item) bool { return isStorage(it.Name) })
}

// isName reports whether a name may become a path below a folder: it doesn't lead out, and has no control characters.
func isName(name string) bool {
	return fs.ValidPath(name) && filepath.IsLocal(filepath.FromSlash(name)) &&
		!strings.ContainsFunc(name, unicode.IsControl)
}
