package upload

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"rsros/bagstore/place"
	"rsros/bagstore/proof"
)

// proofs returns the paths of the files that prove a recording, as far as there are some.
func proofs(recording string) (found []string) {
	for _, path := range proof.Files(recording) {
		if _, err := os.Stat(path); err == nil {
			found = append(found, path)
		}
	}
	return found
}

// proof returns the state of a file that proves the recording.
func (e *entry) proof(path string) *objectState {
	name := e.address(path)[len(e.To):]
	o := e.Proofs[name]
	if o == nil {
		o = &objectState{}
		if e.Proofs == nil {
			e.Proofs = make(map[string]*objectState)
		}
		e.Proofs[name] = o
	}
	return o
}

// sendProofs calls do for each file that proves the recording at a path.
func (e *entry) sendProofs(ctx context.Context, recording string, do func(context.Context, place.File) error) error {
	for _, path := range proofs(recording) {
		f, err := place.Open(ctx, path)
		if err != nil {
			return err
		}
		err = do(ctx, f)
		f.Close() //nolint:errcheck // only read
		if err != nil {
			return err
		}
	}
	return nil
}

// checkName gives the entry another address, before the recording has one, if a proof's has something else.
func (e *entry) checkName(ctx context.Context, f place.File) error {
	to := e.address(f.Info().Name)
	_, err := place.Stat(ctx, to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = e.compare(ctx, f, to)
	}
	return err
}

// putProof uploads a proof, unless it is safe already.
func (e *entry) putProof(ctx context.Context, f place.File) error {
	o := e.proof(f.Info().Name)
	if o.Stored != "" && o.Version == f.Info().Version {
		return nil
	}
	return e.put(ctx, f, o, func(int64) {})
}
