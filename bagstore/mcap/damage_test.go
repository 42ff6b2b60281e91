package mcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	format "github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/test/need"
)

// spoilers are ways to damage a range of a file.
var spoilers = map[string]func(b []byte){
	"flipped byte": func(b []byte) { b[0] ^= 0x55 },
	"zeroed page":  func(b []byte) { clear(b[:min(64, len(b))]) },
}

// parts returns the ranges of a file's messages: their records, or their chunks if these are
// compressed.
func parts(t *testing.T, whole []byte, chunks bool) map[string][2]int64 {
	t.Helper()
	f, err := OpenReader(bytes.NewReader(whole), int64(len(whole)), "test", Options{})
	need.Must(t, err)
	at := make(map[string][2]int64)
	for i := range f.Blocks() {
		entries, err := f.Entries(nil, i)
		need.Must(t, err)
		for _, e := range entries {
			data, err := f.Read(nil, i, e, func(n int) []byte { return make([]byte, 0, n) })
			need.Must(t, err)
			b := f.blocks[i]
			from := b.from + int64(e.Ref)
			to := from + recordHead + messageHead + int64(len(data))
			if chunks {
				from, to = b.info.Pos, b.to
			}
			at[fmt.Sprintf("%s %d %s", f.topics[e.Conn].Name, e.Time, data)] = [2]int64{from, to}
		}
	}
	return at
}

func scanAll(b []byte) (list []string, bad int, f *File, err error) {
	if f, err = OpenReader(bytes.NewReader(b), int64(len(b)), "test", Options{Scan: true}); err != nil {
		return nil, 0, nil, err
	}
	list, bad, err = messagesOf(f)
	return list, bad, f, err
}

// TestSpoiled checks that whole messages before and after the damage are read, and that the damage is
// noted.
func TestSpoiled(t *testing.T) {
	for name, o := range kinds {
		whole := build(t, o)
		at := parts(t, whole, o.Compression != "")
		for what, spoil := range spoilers {
			for from := magicSize; from < len(whole); from += step(o, 41) {
				b := slices.Clone(whole)
				spoil(b[from:])
				to := from
				for i := range b {
					if b[i] != whole[i] {
						to = i + 1
					}
				}
				list, _, _, err := scanAll(b)
				if err != nil {
					t.Errorf("%s, %s at %d: %v", name, what, from, err)
					continue
				}
				if !o.IncludeCRC { // which of a topic's two names is damaged can't be known
					list = withoutTopics(list)
				}
				for m, p := range at {
					if !o.IncludeCRC {
						m = withoutTopics([]string{m})[0]
					}
					if (p[1] <= int64(from) || p[0] >= int64(to)) && !slices.Contains(list, m) {
						t.Errorf("%s, %s at %d to %d: %s at %d to %d is lost", name, what, from, to, m, p[0], p[1])
					}
				}
			}
		}
	}
}

// step returns a step that tries fewer offsets if chunks have to be unpacked.
func step(o format.WriterOptions, n int) int {
	if o.Compression != "" {
		return 8*n + 3
	}
	return n
}

func withoutTopics(list []string) (out []string) {
	for _, m := range list {
		_, rest, _ := strings.Cut(m, " ")
		out = append(out, rest)
	}
	return out
}

// TestCut checks that the whole messages of a truncated file are read, and that one cut is one loss.
func TestCut(t *testing.T) {
	for name, o := range kinds {
		whole := build(t, o)
		at := parts(t, whole, o.Compression != "")
		for size := magicSize; size < len(whole); size += step(o, 13) {
			list, _, f, err := scanAll(whole[:size])
			if err != nil {
				t.Errorf("%s, %d bytes: %v", name, size, err)
				continue
			}
			losses := slices.DeleteFunc(f.Info().Notes, func(n bagstore.Note) bool { return n.Severity != bagstore.Loss })
			if len(losses) > 1 || len(losses) == 0 && cutsChunk(whole, size) {
				t.Errorf("%s, %d bytes: losses %v", name, size, losses)
			}
			for m, p := range at {
				if p[1] <= int64(size) && !slices.Contains(list, m) {
					t.Errorf("%s, %d bytes: %s at %d to %d is lost", name, size, m, p[0], p[1])
				}
			}
		}
	}
}

// cutsChunk reports whether a file of this size ends inside a chunk.
func cutsChunk(whole []byte, size int) bool {
	src := source{bytes.NewReader(whole), int64(len(whole))}
	for pos := int64(magicSize); pos < int64(size); {
		r, err := src.record(pos, src.size)
		if err != nil {
			return false // the magic at the end
		}
		if pos = r.end(); pos > int64(size) {
			return r.op == opChunk
		}
	}
	return false
}

// withAsides returns a file with two attachments and two metadata records around its messages.
func withAsides(t testing.TB, o format.WriterOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := format.NewWriter(&out, &o)
	need.Must(t, err)
	attach := func(name, text string) error {
		return w.WriteAttachment(&format.Attachment{LogTime: 7, CreateTime: 8, Name: name, MediaType: "text/plain", DataSize: uint64(len(text)), Data: strings.NewReader(text)})
	}
	err = errors.Join(w.WriteHeader(&format.Header{Profile: "ros2"}), attach("first.txt", "the first one"),
		w.WriteMetadata(&format.Metadata{Name: "run", Metadata: map[string]string{"place": "yard"}}),
		w.WriteSchema(&format.Schema{ID: 1, Name: "std_msgs/msg/String", Encoding: "ros2msg", Data: []byte("string data")}),
		w.WriteChannel(&format.Channel{ID: 7, SchemaID: 1, Topic: "/a", MessageEncoding: "cdr"}))
	for i := range 10 {
		err = errors.Join(err, w.WriteMessage(&format.Message{ChannelID: 7, LogTime: uint64(i), Data: fmt.Appendf(nil, "message %d", i)}))
	}
	err = errors.Join(err, attach("second.txt", "the second one"), w.WriteMetadata(&format.Metadata{Name: "empty"}), w.Close())
	need.Must(t, err)
	return out.Bytes()
}

// asidesOf lists attachments and metadata records.
func asidesOf(t *testing.T, b []byte) (list []string, damaged uint64) {
	t.Helper()
	f, err := OpenReader(bytes.NewReader(b), int64(len(b)), "test", Options{})
	need.Must(t, err)
	a := f.Extras()
	for _, x := range a.Attachments {
		data, err := io.ReadAll(f.Open(x))
		need.Must(t, err)
		list = append(list, fmt.Sprintf("%s %s %d %d %s", x.Name, x.MediaType, x.LogTime, x.CreateTime, data))
	}
	for _, x := range a.Metadata {
		list = append(list, fmt.Sprint(x.Name, x.Values))
	}
	return list, a.Damaged
}

// TestAsides reads attachments and metadata with and without an index, without a summary,
// and from a damaged file.
func TestAsides(t *testing.T) {
	want := []string{"first.txt text/plain 7 8 the first one", "second.txt text/plain 7 8 the second one", "runmap[place:yard]", "emptymap[]"}
	indexed := withAsides(t, kinds["plain"])
	for name, b := range map[string][]byte{
		"indexed": indexed, "not indexed": withAsides(t, format.WriterOptions{Chunked: true, ChunkSize: 100, SkipAttachmentIndex: true, SkipMetadataIndex: true}),
		"unchunked": withAsides(t, format.WriterOptions{}), "no summary": indexed[:bytes.LastIndex(indexed, []byte("second one"))+100],
	} {
		if list, damaged := asidesOf(t, b); !slices.Equal(list, want) || damaged != 0 {
			t.Errorf("%s: %q, %d damaged", name, list, damaged)
		}
	}
	spoiled := slices.Clone(indexed)
	spoiled[bytes.Index(spoiled, []byte("the first one"))]++
	if list, damaged := asidesOf(t, spoiled); !slices.Equal(list, want[1:]) || damaged != 1 {
		t.Errorf("a flipped byte: %q, %d damaged", list, damaged)
	}
	if list, _ := asidesOf(t, indexed[:bytes.Index(indexed, []byte("second one"))]); !slices.Equal(list, []string{want[0], want[2]}) {
		t.Errorf("torn: %q", list)
	}
	for at := magicSize; at < len(indexed); at += 11 { // what is returned is true, whatever is damaged
		b := slices.Clone(indexed)
		b[at] ^= 0x55
		list, _ := asidesOf(t, b)
		for _, a := range list {
			if strings.HasPrefix(a, "first") || strings.HasPrefix(a, "second") {
				if !slices.Contains(want, a) {
					t.Errorf("byte %d: %q", at, a)
				}
			}
		}
	}
}

// TestOverlap checks that an index that names one attachment many times costs no more than naming it
// once.
func TestOverlap(t *testing.T) {
	b := withAsides(t, kinds["plain"])
	f, err := OpenReader(bytes.NewReader(b), int64(len(b)), "test", Options{})
	need.Must(t, err)
	for range 1000 {
		f.extras = append(f.extras, f.extras[0])
	}
	if a := f.Extras(); len(a.Attachments) != 2 || a.Damaged > 0 {
		t.Errorf("%d attachments, %d damaged", len(a.Attachments), a.Damaged)
	}
}

// TestDamagedChunk checks that messages before the damage in a compressed chunk are read.
func TestDamagedChunk(t *testing.T) {
	o := format.WriterOptions{Chunked: true, ChunkSize: 1 << 20, Compression: format.CompressionZSTD, CompressionLevel: format.CompressionLevelFastest}
	var out bytes.Buffer
	w, err := format.NewWriter(&out, &o)
	need.Must(t, err)
	err = errors.Join(w.WriteHeader(&format.Header{}), w.WriteChannel(&format.Channel{ID: 1, Topic: "/a", MessageEncoding: "cdr"}))
	noise := make([]byte, 4096)
	for i := range 200 {
		for j := range noise {
			noise[j] = byte(crc32.ChecksumIEEE([]byte{byte(i), byte(j), byte(j >> 8)})) & 63
		}
		err = errors.Join(err, w.WriteMessage(&format.Message{ChannelID: 1, LogTime: uint64(i), Data: noise}))
	}
	need.Must(t, errors.Join(err, w.Close()))
	b := out.Bytes()
	at := bytes.Index(b, []byte{0x28, 0xb5, 0x2f, 0xfd})
	end := bytes.LastIndex(b, []byte{byte(opMessageIndex), 0, 0})
	clear(b[at+(end-at)*3/4:][:2000])
	list, bad, f, err := readAll(b)
	if err != nil || len(list) < 50 || len(list)+bad > 200 || len(list) == 200 {
		t.Errorf("%d messages, %d bad, %v", len(list), bad, err)
	}
	said := bad > 0 || slices.ContainsFunc(f.Info().Notes, func(n bagstore.Note) bool { return n.Severity == bagstore.Loss })
	if !said {
		t.Error("nothing is said")
	}
}

// appendChunk appends the content of a chunk record without checksum.
func appendChunk(b []byte, size uint64, compression string, stored []byte) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, make([]byte, 16)...), size) // times
	b = binary.LittleEndian.AppendUint32(append(b, make([]byte, 4)...), uint32(len(compression)))
	b = binary.LittleEndian.AppendUint64(append(b, compression...), uint64(len(stored)))
	return append(b, stored...)
}

// withChannel returns the start of a file with channel 7, /a.
func withChannel() []byte {
	b := appendRecord([]byte(magic), opHeader, make([]byte, 8))
	return appendRecord(b, opChannel, append(appendText(appendText([]byte{7, 0, 0, 0}, "/a"), "cdr"), 0, 0, 0, 0))
}

// messageRecord returns a message record of channel 7 that claims size bytes.
func messageRecord(at, size int, data []byte) []byte {
	head := make([]byte, messageHead)
	head[0] = 7
	binary.LittleEndian.PutUint64(head[6:], uint64(at))
	b := appendRecord(nil, opMessage, append(head, data...))
	binary.LittleEndian.PutUint64(b[1:], uint64(size))
	return b
}

// holed is a file with zeros between its head and its tail, which starts at at.
type holed struct {
	head, tail []byte
	at         int64
}

// openHoled scans a file with a private record of n bytes between head and tail.
func openHoled(head, tail []byte, n int64) (*File, error) {
	head = appendRecord(head, firstPrivate, nil)
	binary.LittleEndian.PutUint64(head[len(head)-8:], uint64(n))
	h := holed{head, tail, int64(len(head)) + n}
	return OpenReader(h, h.at+int64(len(tail)), "test", Options{Scan: true})
}

func (h holed) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(h.head)) {
		copy(p, h.head[off:])
	} else if off >= h.at {
		copy(p, h.tail[off-h.at:])
	}
	return len(p), nil
}

// TestSwallowed checks that a message with a wrong length hides no others, even if it is the last of a
// block by count or by size.
func TestSwallowed(t *testing.T) {
	const (
		messages = rangeMessages + 20
		some     = 4*(recordHead+messageHead+5) + 3 - recordHead // into the length of the fourth message after it
	)
	for name, c := range map[string]struct{ at, size int }{
		"first": {0, some}, "last of a range": {rangeMessages - 1, some}, "first of the next": {rangeMessages, some}, "large": {10, rangeBytes},
		"last and large": {rangeMessages - 1, rangeBytes},
	} {
		b := withChannel()
		for i := range messages {
			size := messageHead + 5
			if i == c.at {
				size = c.size
			}
			b = append(b, messageRecord(i, size, []byte("12345"))...)
		}
		f, err := openHoled(b, nil, 2*rangeBytes)
		need.Must(t, err)
		list, bad, err := messagesOf(f)
		if err != nil || bad > 0 || len(list) != messages-1 || slices.Contains(list, fmt.Sprintf("/a %d 12345", c.at)) {
			t.Errorf("%s: %d messages, want %d; %d bad, %v, %v", name, len(list), messages-1, bad, err, f.Info().Notes)
		}
	}
}

// TestGap checks that messages many GB apart are found.
func TestGap(t *testing.T) {
	head := append(withChannel(), messageRecord(1, messageHead+5, []byte("12345"))...)
	f, err := openHoled(head, messageRecord(2, messageHead+5, []byte("67890")), 5<<30)
	need.Must(t, err)
	if list, bad, err := messagesOf(f); err != nil || bad > 0 || !slices.Equal(list, []string{"/a 1 12345", "/a 2 67890"}) {
		t.Errorf("%q, %d bad, %v, %v", list, bad, err, f.Info().Notes)
	}
}

// TestHiddenMessages checks that messages hidden by one with a wrong length are missing, and that what has the wrong length
// isn't taken for whole without a note: the chunk's checksum or the statistics reveal the damage.
func TestHiddenMessages(t *testing.T) {
	for _, name := range []string{"unchunked", "plain"} {
		whole := build(t, kinds[name])
		var list [][2]int64 // messages in file order
		for _, p := range parts(t, whole, false) {
			list = append(list, p)
		}
		slices.SortFunc(list, func(a, b [2]int64) int { return int(a[0] - b[0]) })
		all, _, _, err := scanAll(whole)
		if err != nil || len(all) != 40 || len(list) != 40 {
			t.Fatalf("%s: %d messages, %v", name, len(all), err)
		}
		tried := 0
		for i := range list {
			for n := 1; n <= 3 && i+n < len(list); n++ {
				if list[i+n][0] != list[i+n-1][1] {
					break // of another chunk
				}
				tried++
				b := slices.Clone(whole)
				binary.LittleEndian.PutUint64(b[list[i][0]+1:], uint64(list[i+n][1]-list[i][0]-recordHead))
				got, _, f, err := scanAll(b)
				need.Must(t, err)
				lost := 0
				for _, m := range all {
					if !slices.Contains(got, m) {
						lost++
					}
				}
				if lost != n+1 || len(got) != len(all)-n || len(f.Info().Notes)+len(f.Found()) == 0 {
					t.Errorf("%s: message %d hides %d: %d messages, %d are lost; notes %v %v", name, i, n, len(got), lost, f.Info().Notes, f.Found())
				}
			}
		}
		if tried < 40 {
			t.Errorf("%s: only %d places were tried", name, tried)
		}
	}
}

// TestMessageOfRecords checks that a message whose data are MCAP records stays whole.
func TestMessageOfRecords(t *testing.T) {
	inner := build(t, kinds["unchunked"])
	for name, o := range kinds {
		var out bytes.Buffer
		w, err := format.NewWriter(&out, &o)
		need.Must(t, err)
		err = errors.Join(w.WriteHeader(&format.Header{}), w.WriteChannel(&format.Channel{ID: 7, Topic: "/a", MessageEncoding: "cdr"}))
		for i := range 3 {
			err = errors.Join(err, w.WriteMessage(&format.Message{ChannelID: 7, LogTime: uint64(i), Data: inner[magicSize : len(inner)-magicSize]}))
		}
		need.Must(t, errors.Join(err, w.Close()))
		if list, bad, f, err := scanAll(out.Bytes()); err != nil || len(list) != 3 || bad > 0 {
			t.Errorf("%s: %d messages, %d bad, %v; notes %v", name, len(list), bad, err, f.Info().Notes)
		}
	}
}

// appendSummed appends an uncompressed chunk with a checksum.
func appendSummed(b []byte, sum uint32, records []byte) []byte {
	chunk := appendChunk(nil, uint64(len(records)), "", records)
	binary.LittleEndian.PutUint32(chunk[24:], sum)
	return appendRecord(b, opChunk, chunk)
}

// TestEmptyChunks checks that a damaged chunk is searched once, however many empty chunks follow it.
func TestEmptyChunks(t *testing.T) {
	const empty = 1000
	b := appendSummed(withChannel(), 1, messageRecord(1, messageHead+1<<16, make([]byte, 1<<16)))
	for range empty {
		b = appendSummed(b, 1, nil)
	}
	r := &countedReads{ReaderAt: bytes.NewReader(b)}
	f, err := OpenReader(r, int64(len(b)), "test", Options{Scan: true})
	need.Must(t, err)
	if n := r.n.Load(); n > 2*empty+50 || len(f.blocks) != 1 {
		t.Errorf("%d reads of %d chunks with %d blocks", n, empty+1, len(f.blocks))
	}
}
