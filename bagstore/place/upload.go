package place

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
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
	if endless(name) { // that of each program is another one
		name = fmt.Sprint(name, os.Getpid())
	}
	return filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:24]+Suffix), nil
}

// freeObject also checks that there is a store, which can be written.
func freeObject(ctx context.Context, name string, overwrite bool) error {
	if endless(name) {
		return nil
	}
	s, err := storeOf(name)
	if s == Store(theWeb) {
		return readOnly(name)
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

// Upload puts a complete file, which is locked meanwhile. After an error, nothing is left in the store. What a killed
// program has left there is continued or removed, if it had the same folder for temporary files.
func Upload(ctx context.Context, path, name string, fresh bool) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	if err := lock(f); err != nil {
		return fmt.Errorf("upload to %s: %w", name, err)
	}
	return upload(ctx, f, name, fresh)
}

func upload(ctx context.Context, f *os.File, name string, fresh bool) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	u := openUploadState(name)
	defer u.close()
	_, err = Put(ctx, name, f, st.Size(), PutOptions{New: fresh, Discard: true, Resume: u.state, Save: u.save})
	return err
}

// writePrefix is WriteFolder for an address.
func writePrefix(ctx context.Context, name string, write func(dir string) error) error {
	name = strings.TrimSuffix(name, "/")
	begun, err := begunFolder(ctx, name)
	if err != nil {
		return err
	}
	temp, err := temporary(name)
	if err == nil {
		err = Probe(ctx, Join(name, unfinished))
	}
	if err != nil {
		return err
	}
	mark, err := Lock(temp)
	if err != nil {
		return err
	}
	defer Unlock(mark) //nolint:errcheck // it is empty
	dir := strings.TrimSuffix(temp, Suffix)
	if err := os.RemoveAll(dir); err != nil { // a killed program's
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := write(dir); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if err := uploadFolder(ctx, dir, name, begun); err != nil {
		return keepUnsent(dir, name, err)
	}
	return os.RemoveAll(dir)
}

// keepUnsent moves a complete output that couldn't be uploaded away from what the next program replaces. It adds to the
// error where the output is.
func keepUnsent(temp, name string, err error) error {
	dir, failed := os.MkdirTemp(filepath.Dir(temp), "unsent-")
	if to := filepath.Join(dir, Base(name)); failed == nil && os.Rename(temp, to) == nil {
		temp = to
	}
	return fmt.Errorf("%w; the complete output stays at %s", err, temp)
}

// unfinished is the file or object in a folder that isn't complete. It is removed at the end.
const unfinished = ".unfinished"

// begunFolder reports whether a killed program has left a part of a folder. Any other object in it is an error.
func begunFolder(ctx context.Context, name string) (begun bool, err error) {
	others := false
	for o, err := range List(ctx, name+"/") {
		if err != nil {
			return false, err
		}
		switch file := strings.TrimPrefix(o.Name, name+"/"); {
		case file == unfinished:
			begun = true
		case slices.Contains(describing, file):
			return false, taken(name)
		default:
			others = true
		}
	}
	if others && !begun {
		return false, taken(name)
	}
	return begun, nil
}

// describing are the files that say that a folder is whole. They are uploaded last.
var describing = []string{"metadata.yaml", "manifest.json"}

// uploadFolder uploads all files, or removes those that it has uploaded. If the upload has begun, files may be there
// already. Another program that finds the mark may upload the same files meanwhile: then neither fails, and no file is
// removed that the other one counts on.
func uploadFolder(ctx context.Context, dir, name string, begun bool) error {
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
	var put, found []string
	mark := Join(name, unfinished)
	err := error(nil)
	if !begun {
		const text = "The upload of this folder isn't complete.\n"
		if _, err = Put(ctx, mark, strings.NewReader(text), int64(len(text)), PutOptions{}); err == nil {
			put = append(put, mark)
		}
	}
	for i := 0; i < len(files) && err == nil; i++ {
		to := joinRelative(name, dir, files[i])
		err = Upload(ctx, files[i], to, true)
		switch {
		case err == nil:
			put = append(put, to)
		case errors.Is(err, fs.ErrExist) && sameContent(ctx, files[i], to):
			found, err = append(found, to), nil
		}
	}
	for i := 0; i < len(found) && err == nil; i++ { // by another program, which may have removed them
		_, err = Stat(ctx, found[i])
	}
	if err == nil {
		return Remove(ctx, mark)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removal)
	defer cancel()
	if _, gone := Stat(ctx, mark); errors.Is(gone, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return err // these files are part of what another program uploads, or has completed
	}
	slices.Reverse(put) // the mark last
	for _, name := range put {
		err = errors.Join(err, Remove(ctx, name))
	}
	return err
}

// sameContent reports whether an object has the content of a file.
func sameContent(ctx context.Context, path, name string) bool {
	local, err := Open(ctx, path)
	if err != nil {
		return false
	}
	defer local.Close() //nolint:errcheck // only read
	there, err := Open(ctx, name)
	if err != nil {
		return false
	}
	defer there.Close() //nolint:errcheck // only read
	same, err := Equal(local, there)
	return same && err == nil
}

// Equal compares two files up to the first difference.
func Equal(a, b File) (bool, error) {
	const step = 4 << 20
	size := a.Info().Size
	if size != b.Info().Size {
		return false, nil
	}
	p, q := make([]byte, min(step, size)), make([]byte, min(step, size))
	for off := int64(0); off < size; off += step {
		n := min(step, size-off)
		b.Want(off, min(2*step, size-off))
		if k, err := a.ReadAt(p[:n], off); k < int(n) {
			return false, errors.Join(err, io.ErrUnexpectedEOF)
		}
		if k, err := b.ReadAt(q[:n], off); k < int(n) {
			return false, errors.Join(err, io.ErrUnexpectedEOF)
		}
		if !bytes.Equal(p[:n], q[:n]) {
			return false, nil
		}
	}
	return true, nil
}

// removal is how long the removal of an unfinished folder may take.
const removal = 10 * time.Second

// joinRelative returns the address below name of a file below dir.
func joinRelative(name, dir, path string) string {
	return Join(name, strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(path, dir)), "/"))
}
