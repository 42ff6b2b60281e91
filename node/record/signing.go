package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rsros/bagstore/proof"
	"rsros/node/upload"
	"rsros/program"
)

// Signing has the setting of recordings that are signed. The options of the bags have the key itself.
type Signing struct {
	Key string `setting:"sign"` // path of the secret key; "": they aren't signed
}

var errSignedDB3 = fmt.Errorf("%w: --sign signs bags, not .db3 files", program.ErrUsage)

// Check rejects what --sign doesn't go with.
func (s Signing) Check(db3 bool, r Ring, u upload.Options) error {
	switch {
	case s.Key == "":
		return nil
	case db3:
		return errSignedDB3
	case r.Before > 0:
		return fmt.Errorf("%w: --sign doesn't go with a ring, whose files are renamed", program.ErrUsage)
	case u.To != "":
		return fmt.Errorf("%w: --sign doesn't go with --upload, which moves bags without their proofs", program.ErrUsage)
	}
	return nil
}

// removeProof removes the files that prove a recording that is removed.
func removeProof(path string) error {
	for _, file := range proof.Files(path) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
