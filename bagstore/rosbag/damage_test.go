package rosbag

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/disk"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// edges returns the offsets of a sound bag's records, in the file and inside uncompressed chunks, and
// the file size.
func edges(t *testing.T, raw []byte) []int64 {
	t.Helper()
	out := []int64{int64(len(raw))}
	var list func(from, to int64)
	list = func(from, to int64) {
		for pos := from; pos < to; {
			var r bagrecord.Record
			need.Must(t, bagrecord.Read(bagrecord.Memory(raw), pos, to, &r))
			out = append(out, pos)
			if r.Op == bagrecord.OpChunk && string(r.Compression) == string(bagstore.None) {
				list(r.DataPos, r.Next())
			}
			pos = r.Next()
		}
	}
	list(int64(len(magic20)), int64(len(raw)))
	slices.Sort(out)
	return out
}

// wholeBefore counts the messages that end at or before n. In an uncompressed bag they must survive a
// cut there.
func wholeBefore(t *testing.T, raw []byte, n int64) int {
	t.Helper()
	count := 0
	var list func(from, to int64)
	list = func(from, to int64) {
		for pos := from; pos < to; {
			var r bagrecord.Record
			if bagrecord.Read(bagrecord.Memory(raw), pos, to, &r) != nil {
				return
			}
			if r.Op == bagrecord.OpChunk {
				list(r.DataPos, r.Next())
			}
			if r.Op == bagrecord.OpMessage && r.Next() <= n {
				count++
			}
			pos = r.Next()
		}
	}
	list(int64(len(magic20)), int64(len(raw)))
	return count
}

func damagedSample(t *testing.T, o bagstore.Options) ([]byte, []seen) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.bag")
	s := sample{Topics: 3, Messages: 40, Size: func(i int) int { return i * 31 % 400 }}
	want := s.write(t, path, o)
	raw, err := os.ReadFile(path)
	need.Must(t, err)
	return raw, want
}

// readDamaged reads all messages, skipping what can't be read.
func readDamaged(raw []byte) ([]seen, *bagstore.Recording, error) {
	b, err := openBytes(raw)
	if err != nil {
		return nil, nil, err
	}
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	var out []seen
	for it.Next() || it.Err() != nil {
		if it.Err() == nil {
			m := it.Message()
			out = append(out, stockbag.NewMessage(m.Conn.Topic, m.Time, m.Data))
		}
	}
	return out, b, nil
}

// TestTruncated cuts a bag at every record edge and one byte to either side. All messages that are
// whole before the cut are read, and no others.
func TestTruncated(t *testing.T) {
	raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500})
	for _, edge := range edges(t, raw) {
		for _, cut := range []int64{edge - 1, edge, edge + 1} {
			if cut < int64(len(magic20)) || cut > int64(len(raw)) {
				continue
			}
			got, _, err := readDamaged(raw[:cut])
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if n := wholeBefore(t, raw, cut); len(got) != n {
				t.Fatalf("cut at %d: %d messages, want %d", cut, len(got), n)
			}
			for _, s := range got {
				if !slices.Contains(want, s) {
					t.Fatalf("cut at %d: message %v was never written", cut, s)
				}
			}
		}
	}
}

// TestTruncatedCompressed cuts compressed bags anywhere. Whole chunks before the cut are read, and
// whatever decodes of a partial bagstore.LZ4 chunk.
func TestTruncatedCompressed(t *testing.T) {
	forcedAlike(t)
	for kind, step := range map[bagstore.Compression]int64{bagstore.LZ4: 29, bagstore.BZ2: 97} { // bagstore.BZ2 is slow
		raw, want := damagedSample(t, bagstore.Options{ChunkSize: 3000, Compression: kind})
		whole, err := openBytes(raw)
		need.Must(t, err)
		salvaged := 0
		for cut := FileOf(whole).chunks[0].Pos; cut < int64(len(raw)); cut += step {
			got, _, err := readDamaged(raw[:cut])
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			least := 0
			l := newChunkReader(FileOf(whole))
			for i := range FileOf(whole).chunks {
				if head, _ := l.header(&FileOf(whole).chunks[i]); dataEnd(head) <= cut {
					least += int(FileOf(whole).chunks[i].Messages())
				}
			}
			if len(got) < least {
				t.Fatalf("%s cut at %d: %d messages, want at least %d", kind, cut, len(got), least)
			}
			salvaged += len(got) - least
			for _, s := range got {
				if !slices.Contains(want, s) {
					t.Fatalf("%s cut at %d: message %v was never written", kind, cut, s)
				}
			}
		}
		if cuts := (len(raw) - int(FileOf(whole).chunks[0].Pos)) / int(step); kind == bagstore.LZ4 && salvaged < cuts/2 {
			t.Errorf("%d messages are salvaged from torn bagstore.LZ4 chunks in %d cuts", salvaged, cuts)
		}
	}
}

// TestSpoiltLZ4 checks that, of a chunk with a damaged block, what decodes before the damage is kept,
// and all other chunks.
func TestSpoiltLZ4(t *testing.T) {
	raw, want := damagedSample(t, bagstore.Options{ChunkSize: 6000, Compression: bagstore.LZ4})
	b, err := openBytes(raw)
	need.Must(t, err)
	c := &FileOf(b).chunks[0]
	head, err := newChunkReader(FileOf(b)).header(c)
	need.Must(t, err)
	others := len(want) - int(c.Messages())
	salvaged := 0
	for at := head.DataPos + 15; at < dataEnd(head)-16; at += 37 {
		bad := bytes.Clone(raw)
		for i := range int64(16) {
			bad[at+i] = 0xff
		}
		path := filepath.Join(t.TempDir(), "x.bag")
		need.Must(t, os.WriteFile(path, bad, 0o600))
		rep, err := Recover(t.Context(), path, path+".out", bagstore.RecoverOptions{})
		if err != nil || rep.Outcome != bagstore.Damaged || int(rep.Kept) < others {
			t.Fatalf("spoilt at %d: %+v %v", at, rep, err)
		}
		salvaged += int(rep.Kept) - others
		check, err := checkFile(t.Context(), path, bagstore.CheckOptions{})
		if err != nil || check.Outcome != bagstore.Damaged || len(check.Notes) != 1 || check.Notes[0].Severity != bagstore.Loss {
			t.Errorf("spoilt at %d: check says %v: %v, %v", at, check.Outcome, check.Notes, err)
		}
	}
	if salvaged == 0 {
		t.Error("nothing of the spoilt chunk was salvaged")
	}
}

// TestGarbledTopic damages the topic in one or both of its connection records, in bags with and without
// an index. One intact record suffices; without any, the loss is reported.
func TestGarbledTopic(t *testing.T) {
	const name = "/topic_2"
	raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500})
	for _, c := range []struct {
		places  string
		index   bool
		garble  string
		outcome bagstore.Outcome // reported by Recover
	}{
		{"index", true, "/to\x02\xe0c_2", bagstore.Sound}, {"chunk", true, "/to\x02\xe0c_2", bagstore.Sound}, {"chunk index", true, "/to\x02\xe0c_2", bagstore.Damaged},
		{"chunk", false, "/to\x02\xe0c_2", bagstore.Sound}, {"chunk index", false, "/to\x02\xe0c_2", bagstore.Damaged}, {"index", true, "/topic_x", bagstore.Damaged},
	} {
		bad := bytes.Clone(raw)
		for place, field := range map[string]int{"chunk": 0, "index": 2} { // the others are copies in chunk data
			if strings.Contains(c.places, place) {
				parts := bytes.SplitN(raw, []byte("topic="+name), field+2)
				copy(bad[len(bad)-len(parts[field+1])-len(name):], c.garble)
			}
		}
		if !c.index { // index position in the file header
			clear(bad[bytes.Index(bad, []byte("index_pos="))+len("index_pos="):][:8])
		}
		path := filepath.Join(t.TempDir(), "x.bag")
		need.Must(t, os.WriteFile(path, bad, 0o600))
		rep, err := Recover(t.Context(), path, path+".out", bagstore.RecoverOptions{})
		if err != nil || rep.Outcome != c.outcome || int(rep.Kept) != len(want) {
			t.Errorf("%+v: recover %+v, %v", c, rep, err)
		}
		check, err := checkFile(t.Context(), path, bagstore.CheckOptions{})
		if lost := err == nil && check.Notes.Worst() == bagstore.Loss; lost != (c.outcome == bagstore.Damaged) {
			t.Errorf("%+v: check %v, %v", c, check.Notes, err)
		}
		if c.outcome == bagstore.Damaged {
			continue
		}
		for _, path := range []string{path, path + ".out"} {
			if got := readAll(t, path, bagstore.OpenOptions{}); !slices.Equal(stockbag.Sorted(got), stockbag.Sorted(want)) {
				t.Errorf("%+v: %s has other messages", c, filepath.Base(path))
			}
		}
	}
}

// TestFlippedLengths damages every length field of every record. Nothing may panic; messages of other
// chunks survive.
func TestFlippedLengths(t *testing.T) {
	for _, kind := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500, Compression: kind})
		for _, edge := range edges(t, raw) {
			var r bagrecord.Record
			if edge == int64(len(raw)) || bagrecord.Read(bagrecord.Memory(raw), edge, int64(len(raw)), &r) != nil {
				continue
			}
			for _, at := range []int64{r.Pos, r.DataPos - 4} {
				for _, value := range []uint32{0, 1, 0x7fffffff, 0xffffffff} {
					bad := bytes.Clone(raw)
					binary.LittleEndian.PutUint32(bad[at:], value)
					got, b, err := readDamaged(bad)
					if err != nil {
						t.Fatalf("length %#x at %d: %v", value, at, err)
					}
					// At worst the chunk with the length is lost, and the connection that it describes.
					if len(got) < len(want)/3 {
						t.Errorf("%s: %s length %#x at %d: only %d of %d messages; %v", kind, bagrecord.OpName(r.Op), value, at, len(got), len(want), b.Notes())
					}
				}
			}
		}
	}
}

// TestLyingHeader checks that the counts and the position in the file header are not trusted.
func TestLyingHeader(t *testing.T) {
	raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500})
	b, err := openBytes(raw)
	need.Must(t, err)
	conns, chunks := len(FileOf(b).conns), len(FileOf(b).chunks)
	index := int64(binary.LittleEndian.Uint64(raw[bytes.Index(raw, []byte("index_pos="))+10:]))
	for _, h := range []struct {
		pos           int64
		conns, chunks int
	}{
		{0, conns, chunks},
		{index, conns + 5, chunks},
		{index, conns, chunks + 7},
		{index, 0, 0},
		{index, conns - 1, chunks - 2},
		{index + 3, conns, chunks},
		{int64(len(raw)) + 1000, conns, chunks},
		{FileOf(b).chunks[0].Pos, conns, chunks},
		{-1, conns, chunks},
	} {
		bad := bytes.Clone(raw)
		copy(bad, fileHeader(h.pos, h.conns, h.chunks, 0))
		got, said, err := readDamaged(bad)
		need.Must(t, err)
		stockbag.Compare(t, fmt.Sprint(h), got, stockbag.ByTime(want))
		if len(said.Notes()) == 0 {
			t.Errorf("%v: nothing was said", h)
		}
	}
}

// TestLyingChunkInfo checks that an impossible chunk info hides no message.
func TestLyingChunkInfo(t *testing.T) {
	raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500})
	for _, edge := range edges(t, raw) {
		var r bagrecord.Record
		if bagrecord.Read(bagrecord.Memory(raw), edge, int64(len(raw)), &r) != nil || r.Op != bagrecord.OpChunkInfo {
			continue
		}
		for what, at := range map[string]int64{
			"messages":   r.DataPos + 4,
			"connection": r.DataPos,
			"end":        edge + int64(bytes.Index(raw[edge:], []byte("end_time="))) + 9,
			"count":      edge + int64(bytes.Index(raw[edge:], []byte("count="))) + 6,
		} {
			bad := bytes.Clone(raw)
			value := uint32(0)
			if what == "connection" {
				value = 77
			}
			binary.LittleEndian.PutUint32(bad[at:], value)
			got, b, err := readDamaged(bad)
			need.Must(t, err)
			stockbag.Compare(t, what, got, stockbag.ByTime(want))
			if len(b.Notes()) == 0 {
				t.Errorf("%s: nothing was said", what)
			}
		}
	}
}

// TestSwappedChunks checks that the order of chunks in the file doesn't matter.
func TestSwappedChunks(t *testing.T) {
	raw, want := damagedSample(t, bagstore.Options{ChunkSize: 1500})
	b, err := openBytes(raw)
	need.Must(t, err)
	index := int64(binary.LittleEndian.Uint64(raw[bytes.Index(raw, []byte("index_pos="))+10:]))
	swapped := bytes.Clone(raw[:FileOf(b).chunks[0].Pos])
	for i := len(FileOf(b).chunks) - 1; i >= 0; i-- {
		end := index
		if i+1 < len(FileOf(b).chunks) {
			end = FileOf(b).chunks[i+1].Pos
		}
		swapped = append(swapped, raw[FileOf(b).chunks[i].Pos:end]...)
	}
	copy(swapped, fileHeader(0, 0, 0, 0))
	got, _, err := readDamaged(swapped)
	need.Must(t, err)
	stockbag.Compare(t, "swapped", stockbag.Sorted(got), stockbag.Sorted(want))
}

// TestNeverWritten checks files that were extended for a write that never happened and so end in blocks
// of zeros. A message that reaches into them isn't whole, whatever its length field says; one whose
// data merely ends in zeros is.
func TestNeverWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := createBag(t, path, bagstore.Options{ChunkSize: 1}, "/t")
	dark := append(bytes.Repeat([]byte{7}, 100), make([]byte, 20_000)...)
	for i := range 3 {
		need.Must(t, w.Write(0, bagstore.Time(1000+i), dark))
	}
	need.Must(t, w.Close())
	raw, err := os.ReadFile(path)
	need.Must(t, err)
	b, err := openBytes(raw)
	need.Must(t, err)
	head, err := newChunkReader(FileOf(b)).header(&FileOf(b).chunks[2])
	need.Must(t, err)
	body := dataEnd(head) - 20_000
	for _, c := range []struct {
		name string
		file []byte
		want uint64
	}{
		{"index follows", raw, 3},
		{"ends with the chunk", raw[:dataEnd(head)], 3},
		{"grown by a block", grown(raw[:dataEnd(head)], 4096), 2},
		{"grown by a megabyte", grown(raw[:dataEnd(head)], 1<<20), 2},
		{"grown in the body", grown(raw[:body], 1<<20), 2},
		{"grown before the chunk", grown(raw[:FileOf(b).chunks[2].Pos], 1<<20), 2},
	} {
		b, err := openReader(bytes.NewReader(c.file), int64(len(c.file)), c.name, bagstore.OpenOptions{Scan: true})
		need.Must(t, err)
		v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
		if got := v.Count(); got != c.want {
			t.Errorf("%s: %d messages, want %d; %v", c.name, got, c.want, b.Notes())
		}
	}
}

// grown returns the file extended by n zeros, to the end of a block.
func grown(raw []byte, n int) []byte {
	size := (len(raw) + n + disk.Grain - 1) &^ (disk.Grain - 1)
	return append(bytes.Clone(raw), make([]byte, size-len(raw))...)
}
