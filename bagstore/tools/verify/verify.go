// Package verify compares recordings with the logs that prove them: byte by byte if the recording is as it
// was written, message by message if it is a part, or a copy in another form. It names the differences. It starts
// no goroutine.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/proof"
)

// Options are the settings of File and Part.
type Options struct {
	Key      proof.PublicKey
	Log      string   // path of File's log; "" is the one next to the recording
	Logs     []string // paths of Part's logs: of all recordings that the bag was made of
	Progress bagstore.Progress
}

func begin(ctx context.Context, path, log string, key proof.PublicKey) (*proof.Proof, *Report, error) {
	p, err := proof.Open(ctx, log, key)
	if err != nil {
		return nil, nil, fmt.Errorf("verify %s: %w", path, err)
	}
	r := &Report{Path: path, Key: key.String(), Recording: p.Recording, Root: fmt.Sprintf("%x", p.Hash[:]), Signed: p.Time, Complete: p.Complete,
		Differences: []Difference{}}
	if !p.Complete {
		r.Open = []string{p.Recording}
	}
	if p.Damage != nil {
		r.note(fmt.Sprintf("the log is %v", p.Damage))
	}
	return p, r, nil
}

// File compares a recording, as it was written, with its log. The error is one of reading; differences are in the
// report.
func File(ctx context.Context, path string, o Options) (*Report, error) {
	if o.Log == "" {
		o.Log = proof.LogPath(path)
	}
	p, rep, err := begin(ctx, path, o.Log, o.Key)
	if err != nil {
		return nil, err
	}
	defer p.Close() //nolint:errcheck // only read
	if name := proof.NameOf(path); name != rep.Recording {
		rep.note(fmt.Sprintf("it was signed as %q", rep.Recording))
	}
	s, err := openSource(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.close() //nolint:errcheck // only read
	err = newWhole(ctx, p, s, rep, o.Progress).run()
	if err = cmp.Or(place.Failed(s.f), err); err != nil { // what wasn't read isn't different
		return nil, fmt.Errorf("verify %s: %w", path, err)
	}
	return rep, nil
}

// LogOf returns the path of the log of a recording, or the path itself if it is that of a log.
func LogOf(path string) string {
	if strings.HasSuffix(place.Base(path), proof.LogExt) {
		return path
	}
	return proof.LogPath(path)
}

// WriteRoot writes the newest signed root of a log, and its signature, as minisign reads them. It replaces
// another root, but no other file.
func WriteRoot(ctx context.Context, log, path string, key proof.PublicKey) error {
	if err := proof.Replaceable(path); err != nil {
		return fmt.Errorf("write the root: %w", err)
	}
	p, err := proof.Open(ctx, log, key)
	if err != nil {
		return err
	}
	defer p.Close() //nolint:errcheck // only read
	if err := proof.WriteFile(path, p.Text()); err != nil {
		return err
	}
	return proof.WriteFile(path+".minisig", p.Signature)
}
