package place

import (
	"io"
	"os"
	"strings"
)

// uploadState is the file with the state of an upload that isn't complete, next to temporary files. After a kill, the
// next program that writes the object reads it. One program at a time has it; others, and those that can't write it,
// upload without.
type uploadState struct {
	file  *os.File // nil: without
	state []byte
	over  bool // there is nothing to continue
}

const uploadStateSuffix = ".upload"

func openUploadState(name string) *uploadState {
	u := &uploadState{over: true}
	temp, err := temporary(name)
	if err != nil || endless(name) {
		return u
	}
	f, err := Lock(strings.TrimSuffix(temp, Suffix) + uploadStateSuffix)
	if err != nil {
		return u
	}
	state, err := io.ReadAll(f)
	return &uploadState{file: f, state: state, over: err != nil || len(state) == 0}
}

// save is that of PutOptions.
func (u *uploadState) save(state []byte) error {
	u.over = state == nil
	if u.file == nil || u.over {
		return nil
	}
	if _, err := u.file.WriteAt(state, 0); err != nil {
		return nil //nolint:nilerr // only the traces of a kill would stay
	}
	_ = u.file.Truncate(int64(len(state)))
	return nil
}

// close removes the file if there is nothing to continue. One that stays costs the next program a request.
func (u *uploadState) close() {
	switch {
	case u.file == nil:
	case u.over:
		_ = Unlock(u.file)
	default:
		_ = u.file.Close()
	}
}
