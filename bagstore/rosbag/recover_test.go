package rosbag

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/test/need"
)

// TestRecoverDescribedLater checks that messages are kept if their connection is described only later,
// in an index section, valid or not.
func TestRecoverDescribedLater(t *testing.T) {
	for _, kind := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		for _, index := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "x.bag")
			want := small.write(t, path, bagstore.Options{ChunkSize: 1500})
			raw, err := os.ReadFile(path)
			need.Must(t, err)
			b, err := openBytes(bytes.Clone(raw)) // which is still being read ahead
			need.Must(t, err)
			if !index {
				copy(raw, fileHeader(0, 0, 0, 0))
			}
			// Turn the descriptions in the chunks into records of an unknown type.
			for _, edge := range edges(t, raw) {
				var r bagrecord.Record
				last := FileOf(b).chunks[len(FileOf(b).chunks)-1].Pos
				if edge < last && bagrecord.Read(bagrecord.Memory(raw), edge, int64(len(raw)), &r) == nil && r.Op == bagrecord.OpConnection {
					raw[edge+int64(bytes.Index(raw[edge:], []byte("op=")))+3] = bagrecord.OpPadding
				}
			}
			need.Must(t, os.WriteFile(path, raw, 0o600))
			out := path + ".out"
			rep, err := Recover(t.Context(), path, out, bagstore.RecoverOptions{Options: bagstore.Options{Compression: kind}})
			if err != nil || rep.Kept != uint64(len(want)) || rep.Outcome != bagstore.Sound {
				t.Fatalf("index %v: %+v %v", index, rep, err)
			}
			everywhere(t, out, want)
		}
	}
}

// TestRecoverReadsOnce checks that nothing is read twice apart from some read-ahead.
func TestRecoverReadsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	sample{Topics: 2, Messages: 6, Size: func(int) int { return 900_000 }}.write(t, path, bagstore.Options{})
	f, err := os.Open(path)
	need.Must(t, err)
	defer f.Close()
	st, err := f.Stat()
	need.Must(t, err)
	in := &countingReader{r: f}
	b := newFile(in, st.Size(), path)
	need.Must(t, b.open(bagstore.OpenOptions{}, true))
	rep, err := recoverBag(t.Context(), b, path+".out", bagstore.RecoverOptions{})
	if err != nil || rep.Kept != 6 {
		t.Fatalf("%+v %v", rep, err)
	}
	if in.bytes > st.Size()*5/4 {
		t.Errorf("%d bytes read of a file of %d", in.bytes, st.Size())
	}
}

// countingReader counts the bytes read.
type countingReader struct {
	r     io.ReaderAt
	bytes int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.bytes += int64(n)
	return n, err
}

// TestRecoverTable checks what Recover and Check report about damaged bags.
func TestRecoverTable(t *testing.T) {
	raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500})
	index := int64(binary.LittleEndian.Uint64(raw[bytes.Index(raw, []byte("index_pos="))+10:]))
	whole, err := openBytes(raw)
	need.Must(t, err)
	first := FileOf(whole).chunks[0].Pos
	unindexed := bytes.Clone(raw[:index])
	copy(unindexed, fileHeader(0, 0, 0, 0))
	zeroed := bytes.Clone(raw)
	clear(zeroed[first+900 : first+1200])
	for name, tc := range map[string]struct {
		raw            []byte
		check, recover bagstore.Outcome
		kept           func(int) bool
	}{
		"sound":     {raw, bagstore.Sound, bagstore.Sound, func(n int) bool { return n == len(want) }},
		"unindexed": {unindexed, bagstore.Damaged, bagstore.Sound, func(n int) bool { return n == len(want) }},
		"torn":      {raw[:index/2], bagstore.Damaged, bagstore.Damaged, func(n int) bool { return n == wholeBefore(t, raw, index/2) }},
		"hole":      {zeroed, bagstore.Damaged, bagstore.Damaged, func(n int) bool { return n > len(want)/2 && n < len(want) }},
		"empty":     {raw[:first], bagstore.Damaged, bagstore.Sound, func(n int) bool { return n == 0 }},
		"nothing":   {raw[:first+60], bagstore.Unreadable, bagstore.Unreadable, func(n int) bool { return n == 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in, out := filepath.Join(dir, "in.bag"), filepath.Join(dir, "out.bag")
			need.Must(t, os.WriteFile(in, tc.raw, 0o600))
			check, err := checkFile(t.Context(), in, bagstore.CheckOptions{})
			if err != nil || check.Outcome != tc.check {
				t.Errorf("check says %v, %v; want %v; %v", check.Outcome, err, tc.check, check.Notes)
			}
			rep, err := Recover(t.Context(), in, out, bagstore.RecoverOptions{})
			if err != nil || rep.Outcome != tc.recover {
				t.Errorf("recover says %v, %v; want %v; %v", rep.Outcome, err, tc.recover, rep.Notes)
			}
			if !tc.kept(int(rep.Kept)) {
				t.Errorf("%d of %d kept; %+v", rep.Kept, len(want), rep)
			}
			if name == "hole" && rep.Lost+rep.Kept < uint64(len(want)) {
				t.Errorf("%d lost and %d kept of %d", rep.Lost, rep.Kept, len(want))
			}
			if tc.recover == bagstore.Unreadable {
				if _, err := os.Stat(out); err == nil {
					t.Error("nothing could be kept, and yet there is an output")
				}
				return
			}
			everywhere(t, out, readAll(t, out, bagstore.OpenOptions{}))
			again, err := checkFile(t.Context(), out, bagstore.CheckOptions{})
			if err != nil || again.Outcome != bagstore.Sound {
				t.Errorf("what was recovered is %v, %v: %v", again.Outcome, err, again.Notes)
			}
			if left, err := os.ReadFile(in); err != nil || !bytes.Equal(left, tc.raw) {
				t.Error("the input was changed")
			}
		})
	}
}
