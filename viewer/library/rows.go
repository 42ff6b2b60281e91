package library

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"rsros/bagstore/db3"
	"rsros/bagstore/place"
	"rsros/tools/batch"
	"rsros/tools/catalog"
)

// rows has the recordings of a catalog, wherever they are.
type rows struct {
	all    []batch.Item // by name
	byName map[string]*catalog.Row
	common string // common prefix of all places, which the names omit
}

// openRows opens a catalog. It adds what the catalog says of the recordings to described.
func openRows(ctx context.Context, name string, described map[string]known) (*rows, error) {
	all, err := catalog.ReadAll(ctx, name)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r catalog.Row) bool {
		return r.Format == "" && !catalog.IsRecording(r.Name) // folders have a format
	})
	l := &rows{byName: make(map[string]*catalog.Row), common: commonFolder(all)}
	for i := range all {
		r := &all[i]
		r.Name = strings.TrimPrefix(r.Name, l.common)
		if l.byName[r.Name] == nil {
			l.all = append(l.all, batch.Item{Name: r.Name})
		}
		l.byName[r.Name], described[r.Name] = r, known{row: r}
	}
	slices.SortFunc(l.all, func(a, b batch.Item) int { return cmp.Compare(a.Name, b.Name) })
	return l, nil
}

// commonFolder returns the longest common prefix of all rows' names that ends in a slash.
func commonFolder(all []catalog.Row) string {
	if len(all) == 0 {
		return ""
	}
	common := all[0].Name
	for _, r := range all {
		for !strings.HasPrefix(r.Name, common) || !strings.HasSuffix(common, "/") {
			if common = common[:max(0, len(common)-1)]; common == "" {
				return ""
			}
		}
	}
	return common
}

func (l *rows) close() error { return nil }

func (l *rows) list(context.Context) ([]batch.Item, error) { return l.all, nil }

func (l *rows) place(name string) (string, error) {
	if l.byName[name] == nil {
		return "", errNoRecording
	}
	return l.common + name, nil
}

// open also opens the file that identifies a rosbag2 folder.
func (l *rows) open(ctx context.Context, name string) (place.File, error) {
	folder, metadata := strings.CutSuffix(name, "/"+db3.MetadataName)
	at, err := l.place(folder)
	if err != nil {
		return nil, err
	}
	if metadata {
		at = place.Join(at, db3.MetadataName)
	}
	return place.Open(ctx, at)
}
