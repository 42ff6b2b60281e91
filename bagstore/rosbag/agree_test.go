package rosbag

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/test/need"
)

// TestHeaderDamageAgrees damages the file header at every byte, in one of three ways, and checks that Check and
// Recover agree that no messages were lost.
func TestHeaderDamageAgrees(t *testing.T) {
	forcedAlike(t)
	raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500})
	unindexed := bytes.Clone(raw)
	copy(unindexed, fileHeader(0, 0, 0, 0))
	t.Run("indexed", func(t *testing.T) { headerDamageAgrees(t, raw, len(want), 1) })
	t.Run("unindexed", func(t *testing.T) { headerDamageAgrees(t, unindexed, len(want), 4) })
}

// headerDamageAgrees damages each byte of the header's fields, or one of several.
func headerDamageAgrees(t *testing.T, raw []byte, want, step int) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.bag"), filepath.Join(dir, "out.bag")
	for at := len(magic20); at < int(firstChunk); at += step {
		if at > 100 && at < int(firstChunk)-20 && at%997 != 0 {
			continue
		}
		value := [...]byte{0x00, 0xff, raw[at] ^ 1}[at%3]
		bad := bytes.Clone(raw)
		bad[at] = value
		need.Must(t, os.WriteFile(in, bad, 0o600))
		check, err := checkFile(t.Context(), in, bagstore.CheckOptions{})
		if err != nil {
			t.Fatalf("byte %d: check: %v", at, err)
		}
		rep, err := Recover(t.Context(), in, out, bagstore.RecoverOptions{Options: bagstore.Options{Overwrite: true, NoSync: true}})
		if err != nil {
			t.Fatalf("byte %d: recover: %v", at, err)
		}
		if int(rep.Kept) != want || rep.Outcome != bagstore.Sound || check.Notes.Worst() == bagstore.Loss {
			t.Errorf("byte %d as %#x: recover keeps %d of %d and says %v: %v; check says %v: %v",
				at, value, rep.Kept, want, rep.Outcome, rep.Notes, check.Outcome, check.Notes)
		}
	}
}

// TestRecoverImpossibleTimes checks that messages whose times are all ones are kept and counted.
func TestRecoverImpossibleTimes(t *testing.T) {
	for _, index := range []bool{true, false} {
		raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500})
		spoilt := 0
		for i, edge := range edges(t, raw) {
			var r bagrecord.Record
			if edge == int64(len(raw)) || bagrecord.Read(bagrecord.Memory(raw), edge, int64(len(raw)), &r) != nil || r.Op != bagrecord.OpMessage || i%3 > 0 && i > 4 {
				continue
			}
			at := bytes.Index(raw[edge:r.DataPos], []byte("time=")) + 5
			copy(raw[int(edge)+at:], bytes.Repeat([]byte{0xff}, 8))
			spoilt++
		}
		if !index {
			copy(raw, fileHeader(0, 0, 0, 0))
		}
		path := filepath.Join(t.TempDir(), "x.bag")
		need.Must(t, os.WriteFile(path, raw, 0o600))
		rep, err := Recover(t.Context(), path, path+".out", bagstore.RecoverOptions{})
		if err != nil || int(rep.Kept) != len(want) || rep.Lost != 0 || int(rep.Retimed) != spoilt || spoilt == 0 {
			t.Fatalf("index %v: %d spoilt of %d: %+v, %v", index, spoilt, len(want), rep, err)
		}
		everywhere(t, path+".out", readAll(t, path+".out", bagstore.OpenOptions{}))
	}
}
