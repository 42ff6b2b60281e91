package place

import (
	"io"
	"os"
	"strings"

	"rsros/bagstore/internal/disk"
)

// begun is the file with the state of an upload that isn't complete, next to temporary files. After a kill, the next
// program that writes the object reads it. One program at a time has it; others, and those that can't write it, upload
// without.
type begun struct {
	file  *os.File // nil: without
	state []byte
	over  bool // there is nothing to continue
}

const begunSuffix = ".upload"

func openBegun(name string) *begun {
	b := &begun{over: true}
	temp, err := temporary(name)
	if err != nil || name == Stream {
		return b
	}
	f, err := os.OpenFile(strings.TrimSuffix(temp, Suffix)+begunSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return b
	}
	if disk.Lock(f) != nil || disk.Gone(f, f.Name(), 0) != nil { // or its program has just removed it
		_ = f.Close() // nothing was written
		return b
	}
	state, err := io.ReadAll(f)
	return &begun{file: f, state: state, over: err != nil || len(state) == 0}
}

// save is that of PutOptions.
func (b *begun) save(state []byte) error {
	b.over = state == nil
	if b.file == nil || b.over {
		return nil
	}
	if _, err := b.file.WriteAt(state, 0); err != nil {
		return nil //nolint:nilerr // only the traces of a kill would stay
	}
	_ = b.file.Truncate(int64(len(state)))
	return nil
}

// close removes the file if there is nothing to continue. One that stays costs the next program a request.
func (b *begun) close() {
	switch {
	case b.file == nil:
	case b.over:
		_ = disk.CloseRemove(b.file)
	default:
		_ = b.file.Close()
	}
}
