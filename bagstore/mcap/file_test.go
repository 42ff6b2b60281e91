package mcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	format "github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/test/need"
)

// build writes a small file with the library.
func build(t testing.TB, o format.WriterOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := format.NewWriter(&out, &o)
	need.Must(t, err)
	err = errors.Join(w.WriteHeader(&format.Header{Profile: "ros2"}),
		w.WriteSchema(&format.Schema{ID: 1, Name: "std_msgs/msg/String", Encoding: "ros2msg", Data: []byte("string data")}),
		w.WriteChannel(&format.Channel{ID: 7, SchemaID: 1, Topic: "/a", MessageEncoding: "cdr", Metadata: map[string]string{"offered_qos_profiles": "- durability: 1"}}),
		w.WriteChannel(&format.Channel{ID: 9, SchemaID: 1, Topic: "/b", MessageEncoding: "cdr"}))
	for i := range 40 {
		err = errors.Join(err, w.WriteMessage(&format.Message{ChannelID: uint16(7 + i%2*2), LogTime: uint64(100 - i), Data: fmt.Appendf(nil, "message %d", i)}))
	}
	need.Must(t, errors.Join(err, w.Close()))
	return out.Bytes()
}

// readAll lists the readable messages and counts the others.
func readAll(b []byte) (list []string, bad int, f *File, err error) {
	f, err = OpenReader(bytes.NewReader(b), int64(len(b)), "test", Options{})
	if err != nil {
		return nil, 0, nil, err
	}
	list, bad, err = messagesOf(f)
	return list, bad, f, err
}

func messagesOf(f *File) (list []string, bad int, err error) {
	for i := range f.Blocks() {
		entries, err := f.Entries(nil, i)
		if err != nil {
			return list, bad, err
		}
		for _, e := range entries {
			data, err := f.Read(nil, i, e, func(n int) []byte { return make([]byte, 0, n) })
			if err != nil {
				bad++
				continue
			}
			list = append(list, fmt.Sprintf("%s %d %s", f.topics[e.Conn].Name, e.Time, data))
		}
	}
	return list, bad, nil
}

var kinds = map[string]format.WriterOptions{
	"unchunked": {},
	"plain":     {Chunked: true, ChunkSize: 200, IncludeCRC: true},
	"lz4":       {Chunked: true, ChunkSize: 200, IncludeCRC: true, Compression: format.CompressionLZ4},
	"zstd":      {Chunked: true, ChunkSize: 200, IncludeCRC: true, Compression: format.CompressionZSTD},
}

func TestRead(t *testing.T) {
	for name, o := range kinds {
		list, _, f, err := readAll(build(t, o))
		if err != nil || len(list) != 40 || !slices.Contains(list, "/b 99 message 1") {
			t.Errorf("%s: %v, %q", name, err, list)
			continue
		}
		if top := f.Topics()[0]; top.Type != "std_msgs/msg/String" || top.Encoding != "cdr" || top.Schema.Encoding != "ros2msg" || top.QoS == "" {
			t.Errorf("%s: topic %+v", name, top)
		}
		for _, b := range f.Blocks() {
			if b.Start > b.End || b.Start < 61 || b.End > 100 || b.Messages() == 0 {
				t.Errorf("%s: block %+v", name, b)
			}
		}
	}
}

// countedReads counts the reads of a file.
type countedReads struct {
	io.ReaderAt
	n atomic.Int64
}

func (r *countedReads) ReadAt(p []byte, off int64) (int, error) {
	r.n.Add(1)
	return r.ReaderAt.ReadAt(p, off)
}

// TestOpenReadsLittle checks how many reads open a file: two for the header of each chunk and one for
// its indexes, whatever the number of channels.
func TestOpenReadsLittle(t *testing.T) {
	b := build(t, kinds["plain"])
	r := &countedReads{ReaderAt: bytes.NewReader(b)}
	f, err := OpenReader(r, int64(len(b)), "test", Options{})
	need.Must(t, err)
	if n, most := r.n.Load(), int64(3*len(f.blocks)+10); len(f.blocks) < 5 || n > most {
		t.Errorf("%d reads for %d chunks, want up to %d", n, len(f.blocks), most)
	}
}

// TestDamage flips bytes and checks that nothing panics and that messages are as written unless the
// checksums report damage.
func TestDamage(t *testing.T) {
	for name, o := range kinds {
		whole := build(t, o)
		want, _, _, _ := readAll(whole)
		for at := 0; at < len(whole); at += step(o, 23) {
			b := slices.Clone(whole)
			b[at] ^= 0xff
			list, bad, f, err := readAll(b)
			if err != nil {
				if at >= magicSize && !strings.Contains(err.Error(), "chunk") {
					t.Errorf("%s, byte %d: %v", name, at, err)
				}
				continue
			}
			if len(list) > len(want) {
				t.Errorf("%s, byte %d: %d messages", name, at, len(list))
			}
			noted := bad > 0 || len(f.Info().Notes) > 0
			f.Check()
			noted = noted || len(f.Found()) > 0
			if name != "unchunked" && !noted && len(list) < len(want) {
				t.Errorf("%s, byte %d: %d messages, and nothing is said", name, at, len(list))
			}
		}
	}
}

// TestMissing checks the notes about messages of an unchunked file that can't be read or differ from
// what was written.
func TestMissing(t *testing.T) {
	for name, c := range map[string]struct {
		crc      bool
		old, new string
		messages int
		text     string
	}{
		"whole":   {true, "", "", 40, ""},
		"content": {true, "message 7", "message 8", 40, "doesn't have the checksum"},
		"channel": {false, "\x09\x00\x01\x00\x02\x00\x00\x00/b", "\x0b\x00\x01\x00\x02\x00\x00\x00/b", 20, "20 messages are left out"},
	} {
		b := bytes.ReplaceAll(build(t, format.WriterOptions{IncludeCRC: c.crc}), []byte(c.old), []byte(c.new))
		list, bad, f, err := readAll(b)
		need.Must(t, err)
		notes := slices.DeleteFunc(f.Info().Notes, func(n bagstore.Note) bool { return n.Severity == bagstore.Harmless })
		f.Check()
		notes = append(notes, f.Found()...)
		if text := fmt.Sprint(notes); len(list) != c.messages || bad > 0 || (len(notes) > 0) != (c.text != "") || !strings.Contains(text, c.text) {
			t.Errorf("%s: %d messages, %d bad: %s", name, len(list), bad, text)
		}
	}
}

// FuzzOpen reads arbitrary bytes.
func FuzzOpen(f *testing.F) {
	for _, o := range kinds {
		f.Add(build(f, o))
	}
	f.Add(withAsides(f, kinds["plain"]))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, _, _, err := readAll(b)
		if err != nil && errors.Is(err, ErrNotMCAP) && len(list) > 0 {
			t.Fatal("messages of no file")
		}
		if f, _, err := openTrusted(b); err == nil {
			_, _, _ = messagesOf(f) // errors, if any
		}
		scanned, _, g, err := scanAll(b)
		if err != nil || len(scanned) > len(b)/recordHead {
			if !errors.Is(err, ErrNotMCAP) {
				t.Fatalf("%d messages in %d bytes, %v", len(scanned), len(b), err)
			}
			return
		}
		for _, a := range g.Extras().Attachments {
			if a.Size > int64(len(b)) {
				t.Fatalf("an attachment of %d bytes in %d", a.Size, len(b))
			}
		}
	})
}

// TestLargeMessage checks that a message over the limit is rejected before memory is
// allocated.
func TestLargeMessage(t *testing.T) {
	b := append(withChannel(), byte(opMessage))
	b = binary.LittleEndian.AppendUint64(b, uint64(messageHead+maxMessage+1))
	b = append(b, 7)
	f, err := OpenReader(holed{head: b, at: math.MaxInt64}, int64(len(b))-1+messageHead+maxMessage+1, "test", Options{Scan: true})
	need.Must(t, err)
	entries, err := f.Entries(nil, 0)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	_, err = f.Read(nil, 0, entries[0], func(n int) []byte {
		t.Fatalf("%d bytes are asked for", n)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "at most") {
		t.Error(err)
	}
}

// TestNamedTwice checks that an index that names a message twice, and so hides another, isn't trusted.
func TestNamedTwice(t *testing.T) {
	whole := build(t, kinds["plain"])
	want, _, f, err := readAll(whole)
	need.Must(t, err)
	slices.Sort(want)
	first, second := indexOffsets(t, whole, f.blocks[len(f.blocks)/2])
	for name, at := range map[string][2]int{"by one channel": {first[0], first[1]}, "by two": {first[0], second[0]}} {
		b := slices.Clone(whole)
		copy(b[at[1]:], b[at[0]:][:8])
		list, bad, _, err := readAll(b)
		slices.Sort(list)
		if err != nil || bad > 0 || !slices.Equal(list, want) {
			t.Errorf("%s: %d messages, want %d; %d bad, %v", name, len(list), len(want), bad, err)
		}
	}
}

// indexOffsets returns where the message indexes of a chunk's two channels store their offsets.
func indexOffsets(t *testing.T, b []byte, k block) (first, second []int) {
	t.Helper()
	src := source{bytes.NewReader(b), int64(len(b))}
	for pos := k.index; pos < k.indexTo; {
		r, err := src.record(pos, k.indexTo)
		need.Must(t, err)
		first, second = second, nil
		for at := r.data + messageIndexHead; at < r.end(); at += messageIndexEntry {
			second = append(second, int(at+8))
		}
		pos = r.end()
	}
	if len(first) < 2 || len(second) < 1 {
		t.Fatalf("offsets at %v and %v", first, second)
	}
	return first, second
}

// TestChunkListedTwice checks that a summary that lists a chunk twice isn't trusted.
func TestChunkListedTwice(t *testing.T) {
	whole := build(t, kinds["plain"])
	want, _, _, err := readAll(whole)
	need.Must(t, err)
	footer := len(whole) - magicSize - footerSize - recordHead
	start := binary.LittleEndian.Uint64(whole[footer+recordHead:])
	src := source{bytes.NewReader(whole), int64(len(whole))}
	var index []byte // of a chunk
	for pos := int64(start); index == nil; {
		r, err := src.record(pos, int64(footer))
		need.Must(t, err)
		if r.op == opChunkIndex {
			index = whole[r.pos:r.end()]
		}
		pos = r.end()
	}
	b := append(slices.Clone(whole[:start]), bytes.Repeat(index, 100)...)
	b = append(b, whole[start:]...)
	clear(b[len(b)-magicSize-4:][:4]) // the summary's checksum
	list, bad, f, err := readAll(b)
	slices.Sort(list)
	slices.Sort(want)
	if err != nil || bad > 0 || !slices.Equal(list, want) || !strings.Contains(fmt.Sprint(f.Info().Notes), "the summary's chunks overlap; the file was scanned") {
		t.Errorf("%d messages, %d bad, %v, %v", len(list), bad, err, f.Info().Notes)
	}
}

// TestParts checks that messages outside of chunks are in several blocks if they are large, and which of these are one range.
func TestParts(t *testing.T) {
	b := withChannel()
	for i := range 4100 {
		data := make([]byte, 400_000)
		if i > 5 {
			data = data[:1]
		}
		b = append(b, messageRecord(i, messageHead+len(data), data)...)
	}
	list, bad, f, err := readAll(b)
	if err != nil || bad > 0 || len(list) != 4100 {
		t.Fatalf("%d messages, %d bad, %v", len(list), bad, err)
	}
	var got []string
	for _, b := range f.Blocks() {
		got = append(got, fmt.Sprint(b.Messages(), b.Continued))
	}
	if want := []string{"3 false", "3 true", "4090 true", "4 false"}; !slices.Equal(got, want) {
		t.Errorf("blocks of %q, want %q", got, want)
	}
}
