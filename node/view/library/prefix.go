package library

import (
	"context"
	"strings"

	"rsros/bagstore/place"
	"rsros/bagstore/tools/catalog"
)

// prefix has the recordings below an address, which ends with a slash.
type prefix string

func (p prefix) close() error { return nil }

func (p prefix) list(ctx context.Context) (list []found, err error) {
	for info, err := range place.List(ctx, string(p)) {
		if err != nil {
			return nil, err
		}
		name, ok := strings.CutPrefix(info.Name, string(p))
		if !ok || !cleanName(name) || !catalog.IsRecording(name) {
			continue
		}
		if list = append(list, found{name: name, stamp: info.Version, size: info.Size}); len(list) == maxListed {
			break
		}
	}
	return list, nil
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
