package library

import (
	"context"
	"strings"

	"rsros/bagstore/place"
	"rsros/tools/batch"
)

// prefix has the recordings below an address, which ends with a slash.
type prefix string

func (p prefix) close() error { return nil }

func (p prefix) list(ctx context.Context) ([]batch.Item, error) {
	var files []batch.Item
	for info, err := range place.List(ctx, string(p)) {
		if err != nil {
			return nil, err
		}
		name, ok := strings.CutPrefix(info.Name, string(p))
		if !ok || !cleanName(name) || !isPart(name) {
			continue
		}
		if files = append(files, batch.Item{Name: name, Size: info.Size, Version: info.Version}); len(files) == maxFiles {
			break
		}
	}
	return batch.Recordings(string(p), files), nil
}

func (p prefix) place(name string) (string, error) {
	if !cleanName(name) {
		return "", errNoRecording
	}
	return string(p) + name, nil
}

func (p prefix) open(ctx context.Context, name string) (place.File, error) {
	at, err := p.place(name)
	if err != nil {
		return nil, err
	}
	return place.Open(ctx, at)
}
