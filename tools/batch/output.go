package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rsros/bagstore/place"
	"rsros/program/localfile"
)

// exists reports whether there is a file or folder, and the size of a file.
func exists(ctx context.Context, name string) (size int64, there bool, err error) {
	info, err := place.Stat(ctx, name)
	if errors.Is(err, localfile.ErrNotRegular) { // a folder
		return 0, true, nil
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) || !place.IsAddress(name) {
		return info.Size, err == nil, ignore(err, fs.ErrNotExist)
	}
	for _, err := range place.List(ctx, name+"/") {
		return 0, err == nil, err
	}
	return 0, false, nil
}

func ignore(err, target error) error {
	if errors.Is(err, target) {
		return nil
	}
	return err
}

// putOutput gives a finished file or folder its place. Only with replace may there be one.
func putOutput(ctx context.Context, from, to string, replace bool) error {
	if place.IsAddress(to) {
		return upload(ctx, from, to, replace)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return place.RenameDurably(from, to, replace)
	}
	old := from + ".old"
	if replace {
		if err := errors.Join(os.RemoveAll(old), ignore(os.Rename(to, old), fs.ErrNotExist)); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}
	return errors.Join(os.Rename(from, to), os.RemoveAll(old))
}

// upload writes a file or each file of a folder, and removes what a folder had before. Only the marker tells when all
// of a folder is there.
func upload(ctx context.Context, from, to string, replace bool) error {
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return place.Upload(ctx, from, to, !replace)
	}
	before := make(map[string]bool)
	for info, err := range place.List(ctx, to+"/") {
		if err != nil {
			return err
		}
		if !replace {
			return fmt.Errorf("%s: %w", info.Name, fs.ErrExist)
		}
		if before[info.Name] = true; len(before) > maxItems {
			return fmt.Errorf("%s: %w", to, errMany)
		}
	}
	for info, err := range place.List(ctx, from) {
		if err != nil {
			return err
		}
		name, _ := below(from, info.Name)
		if err := place.Upload(ctx, info.Name, place.Join(to, name), !replace); err != nil {
			return err
		}
		delete(before, place.Join(to, name))
	}
	for name := range before {
		if err := place.Remove(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
