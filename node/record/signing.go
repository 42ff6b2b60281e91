package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rsros/bagstore/proof"
	"rsros/program"
)

// Signing has the setting of recordings that are signed. The options of the bags have the key itself.
type Signing struct {
	Key string `setting:"sign"` // path of the secret key; "": they aren't signed
}

var errSignedDB3 = fmt.Errorf("%w: --sign signs bags, not .db3 files", program.ErrUsage)

// Check rejects what --sign doesn't go with.
func (s Signing) Check(db3 bool) error {
	if s.Key != "" && db3 {
		return errSignedDB3
	}
	return nil
}

// remove removes a complete file, and what proves it.
func (s *series[F]) remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !s.signed {
		return nil
	}
	return proof.Remove(path)
}

// sizeOf returns the size of a complete file, and of what proves it.
func (s *series[F]) sizeOf(path string) (int64, error) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	size := st.Size()
	if s.signed {
		for _, path := range proof.Files(path) {
			if st, err := os.Stat(path); err == nil { // a log that failed has no root
				size += st.Size()
			}
		}
	}
	return size, nil
}

// move moves a complete file, and what proves it, to an unused name. Otherwise the error is fs.ErrExist.
func (s *series[F]) move(from, to string) error {
	move := func() error { return rename(from, to, false) }
	if !s.signed {
		return move()
	}
	return proof.Move(from, to, move)
}
