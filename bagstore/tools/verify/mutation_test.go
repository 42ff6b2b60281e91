package verify

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/proof"
)

var mutations = flag.Int("mutations", 400, "number of changes of recordings that TestMutations makes")

// stretch is what the bytes [pos, end) of a recording are.
type stretch struct {
	what     string
	pos, end int64
	chunk    int    // number, from 1
	topic    string // of a message or index entry
}

// layout is where everything is in a signed recording.
type layout struct {
	chunks, messages, entries, sections []stretch
	all                                 []stretch // every byte of the file in one of them
}

func layoutOf(t testing.TB, path string, key proof.PublicKey, list []written) layout {
	t.Helper()
	p, err := proof.Open(t.Context(), proof.LogPath(path), key)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := openSource(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	w := newWhole(t.Context(), p, s, new(Report), nil)
	l := layout{all: []stretch{{what: "file header", end: bagstore.FirstChunk}}}
	topics := []string{"/imu", "/image", "/status"}
	add := func(to *[]stretch, pl stretch) {
		l.all = append(l.all, pl)
		if to != nil {
			*to = append(*to, pl)
		}
	}
	n := 0
	for i := range p.Len() {
		e, err := w.signed(i)
		if err != nil {
			t.Fatal(err)
		}
		switch e.kind {
		case proof.KindSection:
			add(&l.sections, stretch{what: "section", pos: e.pos, end: e.dataEnd()})
			add(nil, stretch{what: "padding", pos: e.dataEnd(), end: e.end})
		case proof.KindChunk:
			l.chunks = append(l.chunks, stretch{"chunk", e.pos, e.end, e.number, ""})
			add(nil, stretch{"chunk header", e.pos, e.head.DataPos, e.number, ""})
			if e.head.Compression != bagstore.None {
				add(nil, stretch{"compressed", e.head.DataPos, e.dataEnd(), e.number, ""})
				n += int(e.messages)
			} else {
				at := e.head.DataPos
				_, err := w.parts.Walk(e.head, func(i bagstore.Item) {
					if i.Conn != nil {
						return
					}
					m := list[n]
					size := int64(len(m.bytes))
					from := at + int64(bytes.Index(read(t, path)[at:], m.bytes))
					if len(m.bytes) == 0 {
						from = at
					}
					add(nil, stretch{"between", at, from, e.number, topics[m.conn]})
					add(&l.messages, stretch{"message", from, from + size, e.number, topics[m.conn]})
					at = from + size
					n++
				})
				if err != nil {
					t.Fatal(err)
				}
				add(nil, stretch{"between", at, e.dataEnd(), e.number, ""})
			}
			for pos := e.dataEnd(); pos < e.end; {
				entries, next, err := w.parts.Index(pos, e.end)
				if err != nil {
					t.Fatal(err)
				}
				from := next - int64(12*len(entries))
				add(nil, stretch{"index header", pos, from, e.number, ""})
				for _, x := range entries {
					add(&l.entries, stretch{"index entry", from, from + 12, e.number, topics[x.ID]})
					from += 12
				}
				pos = next
			}
		}
	}
	return l
}

// mutation changes a recording. It returns the new bytes, and what a difference must say for it to be named.
type mutation struct {
	name string
	make func(r *rand.Rand, b []byte, l layout) (changed []byte, named func(Difference) bool)
}

func about(chunk int, what ...string) func(Difference) bool {
	return func(d Difference) bool { return d.Chunk == chunk && (len(what) == 0 || slices.Contains(what, d.What)) }
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// flip changes a random byte of a stretch.
func flip(r *rand.Rand, b []byte, p stretch) []byte {
	b = bytes.Clone(b)
	b[p.pos+r.Int64N(p.end-p.pos)] ^= byte(1 + r.IntN(255))
	return b
}

func sized(list []stretch, what ...string) (some []stretch) {
	for _, p := range list {
		if p.end > p.pos && (len(what) == 0 || slices.Contains(what, p.what)) {
			some = append(some, p)
		}
	}
	return some
}

var kinds = []mutation{
	{"any byte", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		at := r.Int64N(int64(len(b)))
		i := slices.IndexFunc(l.all, func(p stretch) bool { return at >= p.pos && at < p.end })
		p := l.all[i]
		return flip(r, b, stretch{pos: at, end: at + 1}), func(d Difference) bool {
			switch p.what {
			case "file header":
				return d.What == "file header"
			case "section":
				return slices.Contains([]string{"index section", "connection", "chunk info"}, d.What)
			case "padding":
				return d.What == "padding" || d.What == "bytes"
			}
			return d.Chunk == p.chunk
		}
	}},
	{"message changed", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		p := pick(r, sized(l.messages))
		return flip(r, b, p), func(d Difference) bool {
			return d.Kind == Changed && d.What == "message" && d.Chunk == p.chunk && d.Topic == p.topic
		}
	}},
	{"messages swapped", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		// Whole records of one size would have to be swapped for a time to move along: their data are.
		for range 1000 {
			x, y := pick(r, sized(l.messages)), pick(r, sized(l.messages))
			if x.pos != y.pos && x.end-x.pos == y.end-y.pos {
				c := bytes.Clone(b)
				copy(c[x.pos:x.end], b[y.pos:y.end])
				copy(c[y.pos:y.end], b[x.pos:x.end])
				return c, about(x.chunk, "message")
			}
		}
		return nil, nil
	}},
	{"index entry changed", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		p := pick(r, l.entries)
		return flip(r, b, p), func(d Difference) bool { return d.Chunk == p.chunk && d.What == "index entry" && d.Topic == p.topic }
	}},
	{"index entries swapped", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		for range 1000 {
			i := r.IntN(len(l.entries) - 1)
			x, y := l.entries[i], l.entries[i+1]
			if x.end == y.pos {
				c := bytes.Clone(b)
				copy(c[x.pos:x.end], b[y.pos:y.end])
				copy(c[y.pos:y.end], b[x.pos:x.end])
				return c, func(d Difference) bool { return d.Kind == Swapped && d.What == "index entry" && d.Chunk == x.chunk }
			}
		}
		return nil, nil
	}},
	{"chunk dropped", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		p := pick(r, l.chunks)
		return slices.Concat(b[:p.pos], b[p.end:]), func(d Difference) bool { return d.Kind == Dropped && d.What == "chunk" && d.Chunk == p.chunk }
	}},
	{"chunk added", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		p, q := pick(r, l.chunks), pick(r, l.chunks)
		copied := bytes.Clone(b[q.pos:q.end])
		if r.IntN(2) == 0 { // a forged one
			copied[len(copied)/2] ^= 1
		}
		return slices.Concat(b[:p.pos], copied, b[p.pos:]), func(d Difference) bool { return d.Kind == Added && (d.What == "chunk" || d.What == "bytes") }
	}},
	{"chunks swapped", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		i, j := r.IntN(len(l.chunks)), r.IntN(len(l.chunks))
		x, y := l.chunks[min(i, j)], l.chunks[max(i, j)]
		if i == j {
			return nil, nil
		}
		return slices.Concat(b[:x.pos], b[y.pos:y.end], b[x.end:y.pos], b[x.pos:x.end], b[y.end:]), func(d Difference) bool {
			return d.Kind == Swapped && d.What == "chunk" && (d.Chunk == x.chunk || d.Chunk == y.chunk)
		}
	}},
	{"section changed", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		p := pick(r, l.sections)
		return flip(r, b, p), func(d Difference) bool {
			return slices.Contains([]string{"index section", "connection", "chunk info"}, d.What) && d.Offset == p.pos
		}
	}},
	{"header points elsewhere", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		c := bytes.Clone(b)
		i := bytes.Index(c, []byte("index_pos="))
		binary.LittleEndian.PutUint64(c[i+len("index_pos="):], uint64(l.sections[r.IntN(len(l.sections)-1)].pos))
		return c, func(d Difference) bool { return d.What == "file header" }
	}},
	{"cut off", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		return b[:bagstore.FirstChunk+r.Int64N(int64(len(b))-bagstore.FirstChunk)], func(d Difference) bool { return d.What != "" }
	}},
	{"bytes at the end", func(r *rand.Rand, b []byte, l layout) ([]byte, func(Difference) bool) {
		return append(bytes.Clone(b), make([]byte, 1+r.IntN(5000))...), func(d Difference) bool { return d.Kind == Added && d.What == "bytes" && d.Offset == int64(len(b)) }
	}},
}

// TestMutations changes recordings in all ways, and looks whether each change is found and named.
func TestMutations(t *testing.T) {
	key, public := testKey(t)
	all := forms(key)
	for _, name := range []string{"none", "direct", "lz4", "bz2"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "walk.bag")
			list := writeBag(t, path, all[name], 200)
			l := layoutOf(t, path, public, list)
			whole := read(t, path)
			r := rand.New(rand.NewPCG(uint64(len(name)), 7))
			failed := 0
			for i := range *mutations / len(all) {
				k := kinds[i%len(kinds)]
				if len(l.messages) == 0 && strings.HasPrefix(k.name, "message") {
					k = kinds[0]
				}
				changed, named := k.make(r, whole, l)
				if changed == nil || bytes.Equal(changed, whole) {
					continue
				}
				if err := os.WriteFile(path, changed, 0o666); err != nil {
					t.Fatal(err)
				}
				rep := verified(t, path, public)
				if !slices.ContainsFunc(rep.Differences, named) {
					if failed++; failed < 6 {
						t.Errorf("%d, %s: not named: %s", i, k.name, text(rep))
					}
				}
				if most := 6; len(rep.Differences) > most && k.name != "cut off" && len(l.messages) > 0 && failed < 6 {
					failed++
					t.Errorf("%d, %s: %d differences for one change: %s", i, k.name, len(rep.Differences), text(rep))
				}
			}
			if failed > 0 {
				t.Errorf("%d changes failed", failed)
			}
			if err := os.WriteFile(path, whole, 0o666); err != nil {
				t.Fatal(err)
			}
			if rep := verified(t, path, public); !rep.Same() {
				t.Errorf("the recording itself: %s", text(rep))
			}
		})
	}
}

func text(r *Report) string {
	var b strings.Builder
	for i, d := range r.Differences {
		if i == 10 {
			fmt.Fprintf(&b, "\n  …")
			break
		}
		fmt.Fprintf(&b, "\n  %v (%s, chunk %d, byte %d, %s)", d, d.What, d.Chunk, d.Offset, d.Topic)
	}
	return b.String()
}
