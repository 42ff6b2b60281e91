package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// TestDamagedChunk checks that unreadable data in the middle of a bag is skipped and reported, and that
// cat and export output the rest.
func TestDamagedChunk(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	want(t, exitOK, "compress", "--lz4", "--chunksize", "4", bag)
	b := samplebag.Open(t, bag)
	chunk := b.Blocks()[1]
	lost := int(chunk.Messages())
	b.Close()
	f, err := os.OpenFile(bag, os.O_RDWR, 0)
	need.Must(t, err)
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, 400), chunk.Pos+120); err != nil {
		t.Fatal(err)
	}
	f.Close()
	want(t, exitIncomplete, "check", bag)
	if n := strings.Count(want(t, exitIncomplete, "cat", bag), "---\n"); n < 201-lost || n >= 201 {
		t.Errorf("cat prints %d messages; %d of 201 are damaged", n, lost)
	}
	has(t, wantLog(t, exitFailed, "filter", bag, "-o", bag+".copy"), "recover makes a sound bag")
	out := filepath.Join(filepath.Dir(bag), "out.mcap")
	want(t, exitIncomplete, "convert", bag, "-o", out)
	if got := mcapCount(t, out); got < 201-lost || got >= 201 {
		t.Errorf("%d messages in MCAP; %d of 201 are damaged", got, lost)
	}
}

// TestDamageCodes checks that no command is more lenient than check with files whose damage shows only
// in what is missing.
func TestDamageCodes(t *testing.T) {
	zeros := append([]byte("#ROSBAG V2.0\n"), make([]byte, 500_000)...)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	master := l.Addr().String()
	l.Close()
	commands := []string{"check IN", "info IN", "cat IN", "recover IN -o OUT/recoveredEXT", "reindex IN -o OUT/reindexed/",
		"compress --lz4 IN -o OUT/compressed/", "filter IN -o OUT/filtered.bag", "merge IN -o OUT/merged.bag", "split IN --split-count 1000000 -o OUT/part",
		"convert IN -o OUT/converted.bag --ros 1", "convert IN -o OUT/converted.mcap --ros 1", "play -i -q -d 0 --master embedded __master:=http://MASTER __ip:=127.0.0.1 IN",
		"process IN -o OUT/processed.bag --filters threshold", "export IN -o OUT/folder"}
	for path, codes := range map[string][]int{ // exit codes of the commands
		need.Bag(t, "hostile/bz2claim5.bag"):            {1, 0, 3, 1, 1, 1, 1, 1, 1, 3, 3, 3, 1, 3},
		need.Bag(t, "hostile/nested.bag"):               {1, 3, 3, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		samplebag.File(t, "zeros.bag", zeros):           {1, 3, 3, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		twoNames(t):                                     {3, 0, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		need.Bag(t, "hostile/found_silent_101_412.bag"): {3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		need.Bag(t, "hostile/nochan.mcap"):              {1, 3, 3, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		wrongSum(t, 1, 3, 2):                            {3, 0, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		wrongSum(t, 4, 1, 900_000):                      {3, 0, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		wrongSum(t, 4, 3, 300_000):                      {3, 0, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		wrongSum(t, 1, 2, 5_000_000):                    {3, 0, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		wrongSum(t, 1, 1, 100):                          {3, 0, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		wrongSum(t, 0, 5, 100_000):                      {3, 0, 3, 3, 0, 3, 3, 3, 3, 3, 3, 3, 1, 3},
		need.Bag(t, "hostile/times.mcap"):               {0, 0, 3, 0, 0, 0, 3, 3, 3, 3, 0, 3, 1, 3},
		tornDB3(t):                                      {3, 3, 3, 3, 0, 1, 3, 3, 3, 3, 3, 3, 1, 3},
		samplebag.Walk(t, "whole.bag"):                  {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0},
	} {
		dir := t.TempDir()
		for i, line := range commands {
			args := strings.Fields(strings.NewReplacer("IN", path, "OUT", dir, "EXT", filepath.Ext(path), "MASTER", master).Replace(line))
			if code, out, log := command(t, args...); code != codes[i] {
				t.Errorf("%s %s: exit code %d, want %d\n%.300s%s", args[0], filepath.Base(path), code, codes[i], out, log)
			}
		}
	}
}

// twoNames is a bag whose only topic has one name in its chunk, and another in the index.
func twoNames(t *testing.T) string {
	path := samplebag.File(t, "twonames.bag", nil)
	writeBag(t, path, bagstore.Options{Overwrite: true}, []bagstore.Connection{stockbag.StringType("/chatter")}, func(write func(int, bagstore.Time, []byte)) {
		for i := range 3 {
			write(0, bagstore.Time(i+1), []byte("\x02\x00\x00\x00hi"))
		}
	})
	content, err := os.ReadFile(path)
	need.Must(t, err)
	return samplebag.File(t, "twonames.bag", bytes.Replace(content, []byte("/chatter"), []byte("/shatter"), 2)) // the header and the data of a record
}

// wrongSum is an MCAP file of uncompressed chunks, each with messages of a size, or if chunks is 0 without chunks. One byte of the
// last message is wrong, and so is a checksum.
func wrongSum(t *testing.T, chunks, messages, size int) string {
	text := append(binary.LittleEndian.AppendUint32(nil, uint32(size)), bytes.Repeat([]byte{'x'}, size)...)
	content := textMCAP(t, &mcap.WriterOptions{Chunked: chunks > 0, ChunkSize: int64(messages * size), IncludeCRC: true}, max(chunks, 1)*messages, text)
	content[bytes.LastIndex(content, []byte("xx"))] = 'y'
	return samplebag.File(t, fmt.Sprintf("wrongsum%dx%dx%d.mcap", chunks, messages, size), content)
}

// TestClampedTimes checks that, of the four times of times.mcap, a bag can't hold two, and a .db3 none
// before 1970, and that every copy reports it.
func TestClampedTimes(t *testing.T) {
	in, dir := need.Bag(t, "hostile/times.mcap"), t.TempDir()
	for i, in := range []string{in, earlyDB3(t)} {
		name := func(s string) string { return filepath.Join(dir, fmt.Sprint(i, s)) }
		for _, args := range [][]string{
			{"filter", in, "-o", name("filtered.bag")}, {"merge", in, "-o", name("merged.bag")}, {"split", in, "--split-count", "1", "-o", name("part")},
			{"convert", in, "-o", name("converted.bag"), "--ros", "1"}, {"cat", "--json", in},
		} {
			code, _, log := command(t, args...)
			if named := strings.Contains(log, "2 "+bagstore.ClampedTimes) || args[0] == "convert" && strings.Contains(log, bagstore.ClampedTimes) && strings.Contains(log, "count=2"); code != exitIncomplete || !named {
				t.Errorf("%s: exit code %d\n%s", args, code, log)
			}
		}
		has(t, want(t, exitOK, "check", in), "note, message: 2 messages have times before 1970")
	}
	want(t, exitOK, "convert", in, "-o", filepath.Join(dir, "copy.mcap")) // keeps all times
	want(t, exitOK, "filter", in, "-o", filepath.Join(dir, "small.bag"), "t.to_sec() < 1")
}

// earlyDB3 is a .db3 with two messages before 1970, and one at 1 s.
func earlyDB3(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "early.db3")
	f, err := os.Create(path)
	need.Must(t, err)
	defer f.Close()
	w := db3.NewWriter(f)
	id, err := w.AddTopic(bagstore.Topic{Name: "/chatter", Type: "std_msgs/msg/String"})
	for _, ns := range []int64{math.MinInt64, -1, 1e9} {
		err = errors.Join(err, w.Write(id, ns, []byte("\x00\x01\x00\x00\x03\x00\x00\x00hi\x00")))
	}
	need.Must(t, errors.Join(err, w.Close()))
	return path
}

// readMCAP reads an MCAP file with the reference library.
func readMCAP(t *testing.T, path string, use func(*mcap.Reader)) {
	t.Helper()
	f, err := os.Open(path)
	need.Must(t, err)
	defer f.Close()
	r, err := mcap.NewReader(f)
	need.Must(t, err)
	defer r.Close()
	use(r)
}

// zstdMCAP writes an MCAP file of three ROS 1 messages at 1, 2 and 3 s, with chunks in a compression
// that bags don't support.
func zstdMCAP(t *testing.T) string {
	t.Helper()
	return samplebag.File(t, "zstd.mcap", stringMCAP(t, mcap.CompressionZSTD))
}

func stringMCAP(t *testing.T, compression mcap.CompressionFormat) []byte {
	t.Helper()
	return textMCAP(t, &mcap.WriterOptions{Chunked: true, IncludeCRC: true, Compression: compression}, 3, []byte("\x02\x00\x00\x00hi"))
}

func textMCAP(t *testing.T, o *mcap.WriterOptions, messages int, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, o)
	need.Must(t, err)
	err = errors.Join(w.WriteHeader(&mcap.Header{Profile: "ros1"}),
		w.WriteSchema(&mcap.Schema{ID: 1, Name: "std_msgs/String", Encoding: "ros1msg", Data: []byte("string data\n")}),
		w.WriteChannel(&mcap.Channel{ID: 1, SchemaID: 1, Topic: "/chatter", MessageEncoding: "ros1"}))
	for i := range uint64(messages) {
		err = errors.Join(err, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: (i + 1) * 1e9, Data: text}))
	}
	need.Must(t, errors.Join(err, w.Close()))
	return b.Bytes()
}

// mcapCount reads all messages of an MCAP file.
func mcapCount(t *testing.T, path string) (n int) {
	t.Helper()
	readMCAP(t, path, func(r *mcap.Reader) {
		it, err := r.Messages()
		need.Must(t, err)
		for {
			_, _, _, err := it.NextInto(nil)
			if errors.Is(err, io.EOF) {
				return
			}
			need.Must(t, err)
			n++
		}
	})
	return n
}

// TestExportFlags checks that contradictory flags are rejected before anything is written.
func TestExportFlags(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	dir := filepath.Join(filepath.Dir(bag), "out")
	want(t, exitOK, "convert", bag, "-o", dir+".mcap")
	want(t, exitFailed, "convert", bag, "-o", dir+".mcap") // exists
	if n := mcapCount(t, dir+".mcap"); n != 201 {
		t.Errorf("%d messages", n)
	}
}
