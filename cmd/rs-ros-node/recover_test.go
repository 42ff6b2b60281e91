package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// rawMessages lists the messages of a recording as they were recorded.
func rawMessages(t *testing.T, path string) (list []string) {
	t.Helper()
	bag, _, err := recording.OpenRaw(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	samplebag.Each(t, func(m bagstore.Message) {
		list = append(list, fmt.Sprintf("%d %s %s", m.Time, m.Conn.Topic, m.Data))
	}, bag)
	return list
}

// dataPlace returns where a message's bytes are in a file; ok means exactly one place.
func dataPlace(whole []byte, message string) (from, to int, ok bool) {
	_, data, _ := strings.Cut(message[strings.IndexByte(message, ' ')+1:], " ")
	from = bytes.Index(whole, []byte(data))
	return from, from + len(data), len(data) > 12 && bytes.Count(whole, []byte(data)) == 1
}

// TestRecoverDamage damages ROS 2 recordings in many places and checks that recover keeps every whole
// message, in a sound file, and that its exit code reports the damage.
func TestRecoverDamage(t *testing.T) {
	mcap := filepath.Join(t.TempDir(), "x.mcap")
	want(t, exitOK, "convert", rosbag2File, "-o", mcap)
	const page = 512 // of the .db3
	for _, in := range []string{rosbag2File, mcap} {
		whole, err := os.ReadFile(in)
		need.Must(t, err)
		all, ext := rawMessages(t, in), filepath.Ext(in)
		for _, part := range []int{45, 60, 75, 90} {
			at := len(whole) * part / 100 / page * page
			for what, damage := range map[string]func(b []byte) (spoiled []byte, end int){
				"cut":          func(b []byte) ([]byte, int) { return b[:at], len(b) },
				"zeroed page":  func(b []byte) ([]byte, int) { clear(b[at : at+page]); return b, at + page },
				"flipped byte": func(b []byte) ([]byte, int) { b[at+page/2] ^= 0x80; return b, at + page/2 + 1 },
			} {
				spoiled, end := damage(slices.Clone(whole))
				dir := t.TempDir()
				bad, out := filepath.Join(dir, "walk"+ext), filepath.Join(dir, "walk.recovered"+ext)
				need.Must(t, os.WriteFile(bad, spoiled, 0o600))
				code, said, log := command(t, "recover", bad)
				if code != exitIncomplete && !(what == "flipped byte" && code == exitOK) {
					t.Errorf("%s, %s at %d: exit code %d\n%s", ext, what, at, code, said)
					continue
				}
				if !strings.Contains(log, "wrote "+out+": ") || code == exitIncomplete && !strings.Contains(said, "loss") {
					t.Errorf("%s, %s at %d: %s", ext, what, at, said)
				}
				want(t, exitOK, "check", out)
				kept := rawMessages(t, out)
				for _, m := range all {
					from, to, known := dataPlace(whole, m)
					// A page of a .db3 holds parts of messages, and their row headers.
					const head = 9 + 22 // of a message's record in MCAP: without it the message isn't whole
					before, after := to <= at-len("headers of rows"), from-head >= end && ext == ".mcap"
					if known && (before || after) && !slices.Contains(kept, m) && !onPage(ext, from, to, at, page) {
						t.Errorf("%s, %s at %d: a message at %d to %d is lost\n%s", ext, what, at, from, to, said)
					}
				}
				if now, err := os.ReadFile(bad); err != nil || !bytes.Equal(now, spoiled) {
					t.Errorf("%s: the input changed, %v", ext, err)
				}
			}
		}
	}
}

// onPage reports whether a message of a .db3 has bytes on the page of the damage.
func onPage(ext string, from, to, at, page int) bool {
	return ext == ".db3" && from < at+page && to > at-page
}

// TestRecoverPlaces checks where the result goes, and what is never overwritten, for ROS 2 files.
func TestRecoverPlaces(t *testing.T) {
	dir := t.TempDir()
	db, file := filepath.Join(dir, "a.db3"), filepath.Join(dir, "a.mcap")
	b, err := os.ReadFile(rosbag2File)
	need.Must(t, err)
	need.Must(t, os.WriteFile(db, b, 0o600))
	want(t, exitOK, "convert", db, "-o", file)
	for _, in := range []string{db, file} {
		ext := filepath.Ext(in)
		all := rawMessages(t, in)
		want(t, exitOK, "recover", in)
		has(t, want(t, exitFailed, "recover", in), "--overwrite replaces it")
		want(t, exitOK, "recover", "--overwrite", in)
		has(t, want(t, exitOK, "recover", "--json", "-o", filepath.Join(dir, "named"+ext), in), `"kept":60`)
		for _, other := range []string{".bag", map[string]string{".db3": ".mcap", ".mcap": ".db3"}[ext]} {
			has(t, want(t, exitFailed, "recover", "-o", filepath.Join(dir, "wrong"+other), in), "would be a "+ext+" file: name it ")
		}
		want(t, exitFailed, "recover", "-o", in, in)
		want(t, exitOK, "recover", "--in-place", in)
		if original := filepath.Join(dir, "a.orig"+ext); !slices.Equal(rawMessages(t, original), all) || !slices.Equal(rawMessages(t, in), all) {
			t.Errorf("%s: in place, messages are others", ext)
		}
		want(t, exitFailed, "recover", "--in-place", in)
		want(t, exitOK, "recover", "--in-place", "--overwrite", in)
	}
	nothing := filepath.Join(dir, "nothing.db3")
	need.Must(t, os.WriteFile(nothing, b[:1024], 0o600))
	want(t, exitFailed, "recover", nothing)
	if _, err := os.Stat(filepath.Join(dir, "nothing.recovered.db3")); err == nil {
		t.Error("there is a file with nothing in it")
	}
}

// TestCompressForeign checks that MCAP files are compressed and decompressed in place, including all
// their records; a .db3 is only decompressed.
func TestCompressForeign(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.mcap")
	withAttachment(t, file)
	all := rawMessages(t, file)
	extras := func() (text string) {
		var info *mcap.Info
		readMCAP(t, file, func(r *mcap.Reader) {
			var err error
			if info, err = r.Info(); err != nil {
				t.Fatal(err)
			}
		})
		kinds := make(map[string]bool)
		for _, c := range info.ChunkIndexes {
			kinds[string(c.Compression)] = true
		}
		text = fmt.Sprint(kinds)
		for _, a := range info.AttachmentIndexes {
			text += fmt.Sprintf(" %s of %d bytes", a.Name, a.DataSize)
		}
		for _, m := range info.MetadataIndexes {
			text += " " + m.Name
		}
		return text
	}
	for _, c := range []struct {
		code  int
		args  []string
		after string
	}{
		{exitFailed, []string{"compress", file}, "map[:true] notes.txt of 5 bytes run"}, // BZ2
		{exitOK, []string{"compress", "--lz4", file}, "map[lz4:true] notes.txt of 5 bytes run"},
		{exitOK, []string{"compress", "--zstd", "--overwrite", file}, "map[zstd:true] notes.txt of 5 bytes run"},
		{exitFailed, []string{"decompress", file}, "map[zstd:true] notes.txt of 5 bytes run"}, // the original is there
		{exitOK, []string{"decompress", "--overwrite", file}, "map[:true] notes.txt of 5 bytes run"},
	} {
		want(t, c.code, c.args...)
		if got := extras(); got != c.after || !slices.Equal(rawMessages(t, file), all) {
			t.Errorf("%q: %s, want %s; %d messages", c.args, got, c.after, len(rawMessages(t, file)))
		}
	}
	has(t, wantLog(t, exitIncomplete, "convert", file, "-o", filepath.Join(dir, "x.bag")), "attachments, which only an .mcap has", "metadata records, which")
	damaged, err := os.ReadFile(file)
	need.Must(t, err)
	damaged[bytes.LastIndex(damaged, []byte("hello"))]++
	need.Must(t, os.WriteFile(file, damaged, 0o600))
	has(t, want(t, exitIncomplete, "recover", file), "1 attachments or metadata records that are damaged", "kept 0 attachments and 1 metadata records")
	want(t, exitIncomplete, "compress", "--lz4", "-o", filepath.Join(dir, "torn")+"/", file)
	db := filepath.Join(dir, "a.db3")
	want(t, exitOK, "convert", rosbag2File, "-o", filepath.Join(dir, "b.mcap"))
	if b, err := os.ReadFile(rosbag2File); err != nil || os.WriteFile(db, b, 0o600) != nil {
		t.Fatal(err)
	}
	want(t, exitFailed, "compress", "--lz4", db)
	want(t, exitOK, "decompress", db)
}

// withAttachment writes an MCAP file with an attachment and a metadata record.
func withAttachment(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	need.Must(t, err)
	defer f.Close()
	w, err := mcap.NewWriter(f, &mcap.WriterOptions{Chunked: true, IncludeCRC: true})
	need.Must(t, err)
	err = errors.Join(w.WriteHeader(&mcap.Header{Profile: "ros2"}), w.WriteMetadata(&mcap.Metadata{Name: "run", Metadata: map[string]string{"place": "yard"}}),
		w.WriteSchema(&mcap.Schema{ID: 1, Name: "std_msgs/msg/String", Encoding: "ros2msg", Data: []byte("string data")}),
		w.WriteChannel(&mcap.Channel{ID: 1, SchemaID: 1, Topic: "/text", MessageEncoding: "cdr"}),
		w.WriteAttachment(&mcap.Attachment{Name: "notes.txt", MediaType: "text/plain", DataSize: 5, Data: strings.NewReader("hello")}))
	for i := range uint64(20) {
		err = errors.Join(err, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: 1e9 + i, Data: []byte("\x00\x01\x00\x00\x06\x00\x00\x00text\n\x00")}))
	}
	need.Must(t, errors.Join(err, w.Close()))
}

// TestRecoverUncounted recovers a bag whose index, which has the number of lost messages, is lost as well.
func TestRecoverUncounted(t *testing.T) {
	out := want(t, exitIncomplete, "recover", samplebag.Torn(t))
	if !strings.Contains(out, " messages, lost an unknown number\n") {
		t.Error(out)
	}
}
