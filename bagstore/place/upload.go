package place

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"rsros/bagstore/internal/disk"
)

var tempFolder atomic.Pointer[string]

// SetTemp sets the folder for the content of objects until it is uploaded. The default is the
// system's for temporary files.
func SetTemp(dir string) { tempFolder.Store(&dir) }

// temporary returns the local name for the content of an object, in a folder that only this user can
// read. It is the same for each program that writes the object.
func temporary(name string) (string, error) {
	parent := os.TempDir()
	if dir := tempFolder.Load(); dir != nil {
		parent = *dir
	}
	dir := filepath.Join(parent, fmt.Sprintf("rs-ros-node-%d", os.Geteuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if err := private(dir); err != nil {
		return "", fmt.Errorf("%w; another folder for temporary files may be named (--temp)", err)
	}
	if name == Stream { // that of each program is another one
		name = fmt.Sprint(name, os.Getpid())
	}
	return filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:24]+Suffix), nil
}

// freeObject also checks that there is a store, which can be written.
func freeObject(ctx context.Context, name string, overwrite bool) error {
	if name == Stream {
		return nil
	}
	s, err := storeOf(name)
	if r, ok := s.(ReadOnly); ok && err == nil {
		err = r.Unwritable(name)
	}
	if err != nil || overwrite {
		return err
	}
	_, err = Stat(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return cmp.Or(err, taken(name))
}

// upload puts a complete file, which is locked meanwhile.
func upload(ctx context.Context, path, name string, fresh bool) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	if err := disk.Lock(f); err != nil {
		return fmt.Errorf("upload to %s: %w", name, err)
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = Put(ctx, name, f, st.Size(), PutOptions{New: fresh})
	return err
}

// writePrefix is WriteFolder for an address.
func writePrefix(ctx context.Context, name string, write func(dir string) error) error {
	name = strings.TrimSuffix(name, "/")
	for _, err := range List(ctx, name+"/") {
		return cmp.Or(err, taken(name))
	}
	temp, err := temporary(name)
	if err != nil {
		return err
	}
	lock, err := disk.Create(temp, true)
	if err != nil {
		return err
	}
	defer disk.CloseRemove(lock.File) //nolint:errcheck // it is empty
	dir := strings.TrimSuffix(temp, Suffix)
	if err := os.RemoveAll(dir); err != nil { // a killed program's
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	err = write(dir)
	if err == nil {
		err = uploadFolder(ctx, dir, name)
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// describing are the files that say that a folder is whole. They are uploaded last.
var describing = []string{"metadata.yaml", "manifest.json"}

// uploadFolder uploads all files, or removes those that it has uploaded.
func uploadFolder(ctx context.Context, dir, name string) error {
	var files []string
	for f, err := range (folders{}).List(ctx, dir) {
		if err != nil {
			return err
		}
		files = append(files, f.Name)
	}
	slices.SortStableFunc(files, func(a, b string) int {
		return slices.Index(describing, filepath.Base(a)) - slices.Index(describing, filepath.Base(b))
	})
	for i, path := range files {
		err := upload(ctx, path, joinRelative(name, dir, path), true)
		if err == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removal)
		defer cancel()
		for _, path := range files[:i] {
			err = errors.Join(err, Remove(ctx, joinRelative(name, dir, path)))
		}
		return err
	}
	return nil
}

// removal is how long the removal of an unfinished folder may take.
const removal = 10 * time.Second

// joinRelative returns the address below name of a file below dir.
func joinRelative(name, dir, path string) string {
	return Join(name, strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(path, dir)), "/"))
}
