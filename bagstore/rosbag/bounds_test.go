package rosbag

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dsnet/compress/bzip2"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// bomb is an unindexed bag with one bz2 chunk of a few kilobytes that unpacks to n messages of 128 KiB.
// Two bz2 streams repeat throughout: bz2 allows concatenated streams.
func bomb(t *testing.T, n int) []byte {
	t.Helper()
	pack := func(b []byte) []byte {
		var packed bytes.Buffer
		z, err := bzip2.NewWriter(&packed, &bzip2.WriterConfig{Level: bzip2.BestCompression})
		need.Must(t, err)
		if _, err := z.Write(b); err != nil {
			t.Fatal(err)
		}
		need.Must(t, z.Close())
		return packed.Bytes()
	}
	c := stockbag.StringType("/bomb")
	head := appendConnection(nil, &c)
	const zeros = 128 << 10
	message := append(appendMessage(nil, 0, 1, 0, zeros), make([]byte, zeros)...)
	size := len(head) + n*len(message)
	half := len(message) / 2
	packed := append(pack(head), bytes.Repeat(append(pack(message[:half]), pack(message[half:])...), n)...)
	raw := fileHeader(0, 0, 0, 0)
	raw = bagrecord.AppendHeader(raw, bagrecord.OpChunk, func(b []byte) []byte {
		return bagrecord.AppendU32(bagrecord.AppendString(b, "compression", string(bagstore.BZ2)), "size", uint32(size))
	})
	raw = binary.LittleEndian.AppendUint32(raw, uint32(len(packed)))
	return append(raw, packed...)
}

// TestBomb checks that a chunk that unpacks to far more than its stored size is read in bounded memory.
func TestBomb(t *testing.T) {
	forcedAlike(t)
	const messages = 256 // 32 MB
	raw := bomb(t, messages)
	dir := t.TempDir()
	path := filepath.Join(dir, "bomb.bag")
	need.Must(t, os.WriteFile(path, raw, 0o600))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	check, err := checkFile(t.Context(), path, bagstore.CheckOptions{})
	if err != nil || check.Messages != messages {
		t.Errorf("check: %+v, %v", check, err)
	}
	rep, err := Recover(t.Context(), path, filepath.Join(dir, "out.bag"), bagstore.RecoverOptions{Options: bagstore.Options{Compression: bagstore.LZ4}})
	if err != nil || rep.Kept != messages {
		t.Errorf("recover: %+v, %v", rep, err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 28<<20 {
		t.Errorf("a file of %d bytes takes %d MB of memory", len(raw), grown>>20)
	}
}

// TestBombDamaged checks that damage to the end of the last message in such a chunk is found.
func TestBombDamaged(t *testing.T) {
	raw := bomb(t, 4)
	raw[len(raw)-20] ^= 0xFF
	path := filepath.Join(t.TempDir(), "bomb.bag")
	need.Must(t, os.WriteFile(path, raw, 0o600))
	check, err := checkFile(t.Context(), path, bagstore.CheckOptions{})
	if err != nil || check.Outcome != bagstore.Damaged || check.Messages != 3 {
		t.Errorf("check: %+v, %v", check, err)
	}
}

// TestUnbackedMessages checks that a large message that its chunk's stored size can't justify is
// rejected with its topic, and that the others are read. Our own writer doesn't make such chunks.
func TestUnbackedMessages(t *testing.T) {
	const small = "\x01\x00\x00\x00x"
	huge := make([]byte, 1<<20+1)
	bagstore.LimitMessages(1 << 20)
	defer bagstore.LimitMessages(0)
	path := filepath.Join(t.TempDir(), "large.bag")
	w := createBag(t, path, bagstore.Options{Compression: bagstore.LZ4})
	id, err := w.AddConnection(stockbag.StringType("/large"))
	for i, data := range [][]byte{[]byte(small), huge, []byte(small)} {
		err = errors.Join(err, w.Write(id, bagstore.Time(i+1), data))
	}
	need.Must(t, errors.Join(err, w.Close()))
	read := func(path string) (list []int, errs []error) {
		b := openBag(t, path, bagstore.OpenOptions{})
		for m, err := range b.View(bagstore.Query{}).Messages() {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			list = append(list, len(m.Data))
		}
		return list, errs
	}
	if list, errs := read(path); len(errs) > 0 || !slices.Equal(list, []int{5, len(huge), 5}) {
		t.Errorf("of our own bag: %d, %v", list, errs)
	}

	c := stockbag.StringType("/large")
	content := appendConnection(nil, &c)
	for i, data := range [][]byte{[]byte(small), huge, []byte(small)} {
		content = append(appendMessage(content, 0, bagstore.Time(i+1), 0, len(data)), data...)
	}
	for _, kind := range []bagstore.Compression{bagstore.LZ4, bagstore.BZ2} {
		packed, err := newCompressor(kind)(nil, content)
		need.Must(t, err)
		raw := append(appendChunkHeader(fileHeader(0, 0, 0, 0), kind, 0, len(content), len(packed)), packed...)
		need.Must(t, os.WriteFile(path, raw, 0o600))
		list, errs := read(path)
		if !slices.Equal(list, []int{5, 5}) || len(errs) != 1 || !strings.Contains(errs[0].Error(), `message of "/large"`) || !strings.Contains(errs[0].Error(), "1048577 bytes unpacked") {
			t.Errorf("%s: %d, %v", kind, list, errs)
		}
		check, err := checkFile(t.Context(), path, bagstore.CheckOptions{})
		if err != nil || check.Outcome != bagstore.Damaged || check.Messages != 2 {
			t.Errorf("%s: check: %+v, %v", kind, check, err)
		}
		rep, err := Recover(t.Context(), path, path+".out", bagstore.RecoverOptions{Options: bagstore.Options{Overwrite: true}})
		if err != nil || rep.Outcome != bagstore.Damaged || rep.Kept != 2 {
			t.Errorf("%s: recover: %+v, %v", kind, rep, err)
		}
		bagstore.LimitMessages(int64(len(huge)))
		list, errs = read(path)
		bagstore.LimitMessages(1 << 20)
		if len(errs) > 0 || !slices.Equal(list, []int{5, len(huge), 5}) {
			t.Errorf("%s: with a higher limit: %d, %v", kind, list, errs)
		}
	}
}

// TestManyConnections checks that work on a bag is linear in the number of its connections, not
// quadratic.
func TestManyConnections(t *testing.T) {
	const n = 4_000
	dir := t.TempDir()
	path := filepath.Join(dir, "many.bag")
	w := createBag(t, path, bagstore.Options{Checkpoint: -1})
	for i := range n {
		id, err := w.AddConnection(stockbag.StringType(fmt.Sprint("/t", i)))
		if err == nil {
			err = w.Write(id, bagstore.Time(i+1), []byte("\x01\x00\x00\x00x"))
		}
		need.Must(t, err)
	}
	need.Must(t, w.Close())
	rep, err := Recover(t.Context(), path, filepath.Join(dir, "recovered"), bagstore.RecoverOptions{})
	if err != nil || rep.Kept != n {
		t.Errorf("recover: kept %d, %v", rep.Kept, err)
	}
	if copied := copyBag(t, path, filepath.Join(dir, "copied")); copied != n {
		t.Errorf("%d messages are copied", copied)
	}
}

// TestNotBag checks that a file of another kind isn't taken for a damaged bag.
func TestNotBag(t *testing.T) {
	for text, want := range map[string]string{
		"hello hello hello hello": "text.bag: not a bag, and no MCAP or .db3 file: it begins with \"hello hello h\"",
		"hello\n":                 "text.bag: not a bag, and no MCAP or .db3 file: it begins with \"hello\\n\"",
		"":                        "text.bag: not a bag: the file is empty",
	} {
		path := filepath.Join(t.TempDir(), "text.bag")
		need.Must(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := Open(path, bagstore.OpenOptions{}); !errors.Is(err, ErrNotBag) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
