package batch

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/place"
)

// workFolder is where a run writes outputs before they get their places: next to those of a folder, in a temporary
// folder for an address.
type workFolder struct {
	path string
	lock *os.File
}

const lockSuffix = ".lock"

func newWorkFolder(out string) (*workFolder, error) {
	above, prefix := filepath.Join(out, ownFolder, "work"), ""
	if place.IsAddress(out) {
		above, prefix = os.TempDir(), "rs-ros-node-batch-"
	}
	if err := os.MkdirAll(above, 0o777); err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	prefix += cmp.Or(strings.ReplaceAll(host, string(filepath.Separator), ""), "host") + "-"
	removeAbandoned(above, prefix)
	for range 100 {
		path := filepath.Join(above, prefix+strconv.FormatUint(rand.Uint64(), 36))
		lock, err := place.Lock(path + lockSuffix)
		if errors.Is(err, bagstore.ErrLocked) || errors.Is(err, bagstore.ErrGone) {
			continue // another run took it for abandoned
		}
		if err != nil {
			return nil, err
		}
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, errors.Join(err, place.Unlock(lock))
		}
		return &workFolder{path, lock}, nil
	}
	return nil, fmt.Errorf("%s: no folder for unfinished outputs can be locked", above)
}

// removeAbandoned removes what killed runs on this computer left. Locks of other computers may not be seen.
func removeAbandoned(above, prefix string) {
	entries, _ := os.ReadDir(above)
	for _, e := range entries {
		path, isLock := strings.CutSuffix(filepath.Join(above, e.Name()), lockSuffix)
		if !isLock || !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if lock, err := place.Lock(path + lockSuffix); err == nil {
			_ = os.RemoveAll(path)
			_ = place.Unlock(lock)
		}
	}
}

func (w *workFolder) close() error { return errors.Join(os.RemoveAll(w.path), place.Unlock(w.lock)) }
