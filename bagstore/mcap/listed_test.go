package mcap

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// openTrusted opens a file by its summary and counts the reads.
func openTrusted(b []byte) (f *File, reads *atomic.Int64, err error) {
	r := &countedReads{ReaderAt: bytes.NewReader(b)}
	f, err = OpenReader(r, int64(len(b)), "test", Options{Trust: true})
	return f, &r.n, err
}

// TestTrust checks that the number of reads to open a file by its summary doesn't depend on the number
// of chunks, and that the result equals reading the chunks' indexes.
func TestTrust(t *testing.T) {
	for name, o := range kinds {
		for _, size := range []int64{200, 1 << 20} {
			o.ChunkSize = size
			b := build(t, o)
			want, _, eager, err := readAll(b)
			need.Must(t, err)
			f, reads, err := openTrusted(b)
			need.Must(t, err)
			if n := reads.Load(); o.Chunked && n > 8 {
				t.Errorf("%s: %d reads", name, n)
			}
			if got, want := fmt.Sprint(f.Blocks(), f.Topics(), f.Info().Notes), fmt.Sprint(eager.Blocks(), eager.Topics(), eager.Info().Notes); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
			}
			if got, bad, err := messagesOf(f); err != nil || bad > 0 || !slices.Equal(got, want) || len(f.Found()) > 0 {
				t.Errorf("%s: %q, %d bad, %v, %v", name, got, bad, f.Found(), err)
			}
		}
	}
}

// TestTrustDamaged flips bytes and checks that a file opened by its summary shows only messages that
// were written, and that what is missing is an error or noted.
func TestTrustDamaged(t *testing.T) {
	for name, o := range kinds {
		whole := build(t, o)
		want, _, _, _ := readAll(whole)
		slices.Sort(want)
		for at := magicSize; at < len(whole); at += step(o, 23) {
			b := slices.Clone(whole)
			b[at] ^= 0x55
			f, _, err := openTrusted(b)
			if err != nil {
				t.Errorf("%s, byte %d: %v", name, at, err)
				continue
			}
			list, bad, err := messagesOf(f)
			slices.Sort(list)
			said := err != nil || bad > 0 || len(f.Info().Notes) > 0 || len(f.Found()) > 0
			if !said && o.Chunked && f.Blocks() != nil && f.blocks[0].packed() && !slices.Equal(list, want) {
				t.Errorf("%s, byte %d: %q, and nothing is said", name, at, list)
			}
			f.Check()
			said = said || len(f.Found()) > 0
			if !said && !slices.Equal(withoutTopics(list), withoutTopics(want)) {
				t.Errorf("%s, byte %d: %d messages, and nothing is said", name, at, len(list))
			}
		}
	}
}

// TestTrustContradicted checks that a summary without a checksum that misstates a chunk causes an error
// for that chunk, not wrong messages.
func TestTrustContradicted(t *testing.T) {
	o := kinds["lz4"]
	o.IncludeCRC = false
	whole := build(t, o)
	eager, _, err := openTrusted(whole)
	need.Must(t, err)
	summary := int(eager.blocks[len(eager.blocks)-1].indexTo)
	want, _, _, _ := readAll(whole)
	lies := 0
	for at := summary; at < len(whole)-magicSize; at++ {
		b := slices.Clone(whole)
		b[at]++
		f, _, err := openTrusted(b)
		if err != nil || !f.trusted() {
			continue
		}
		lies++
		for i := range f.blocks {
			entries, err := f.Entries(nil, i)
			if err != nil {
				continue
			}
			for _, e := range entries {
				data, err := f.Read(nil, i, e, func(n int) []byte { return make([]byte, 0, n) })
				if e.Time < f.blocks[i].info.Start || e.Time > f.blocks[i].info.End {
					t.Errorf("byte %d: a message out of its chunk's time", at)
				}
				if m := fmt.Sprintf("%d %s", e.Time, data); err == nil && !slices.Contains(withoutTopics(want), m) {
					t.Errorf("byte %d: a message that wasn't written: %s", at, m)
				}
			}
		}
	}
	if lies == 0 {
		t.Error("no summary was believed")
	}
}

func (f *File) trusted() bool { return len(f.blocks) > 0 && f.blocks[0].listed }

// TestHas checks when a listed chunk is believed: a writer may list one whose message indexes are empty.
func TestHas(t *testing.T) {
	some := block{info: bagstore.Block{ChunkInfo: bagstore.ChunkInfo{Start: 3, End: 9,
		Counts: []bagstore.ConnCount{{ID: 1, Count: 2}}}}}
	for i, c := range []struct {
		b    block
		list []bagstore.Entry
		want bool
	}{
		{block{}, nil, true}, {block{}, []bagstore.Entry{{Time: 0, Conn: 1}}, false},
		{some, []bagstore.Entry{{Time: 4, Conn: 1}, {Time: 3, Conn: 1}}, true}, {some, nil, false},
		{some, []bagstore.Entry{{Time: 4, Conn: 1}}, false},
		{some, []bagstore.Entry{{Time: 4, Conn: 1}, {Time: 10, Conn: 1}}, false},
		{some, []bagstore.Entry{{Time: 4, Conn: 1}, {Time: 4, Conn: 2}}, false},
	} {
		if got := c.b.has(c.list); got != c.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}
