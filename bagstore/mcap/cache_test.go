package mcap

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	format "github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"

	"rsros/test/need"
)

// TestTogether reads all messages in several goroutines, each in a different order, from more chunks
// than fit the cache.
func TestTogether(t *testing.T) {
	const messages, size = 60, 1 << 20
	var out bytes.Buffer
	w, err := format.NewWriter(&out, &format.WriterOptions{Chunked: true, ChunkSize: 3 * size, IncludeCRC: true, Compression: format.CompressionZSTD})
	need.Must(t, err)
	err = errors.Join(w.WriteHeader(&format.Header{}), w.WriteChannel(&format.Channel{ID: 1, Topic: "/a", MessageEncoding: "cdr"}))
	for i := range messages {
		err = errors.Join(err, w.WriteMessage(&format.Message{ChannelID: 1, LogTime: uint64(i + 1), Data: bytes.Repeat([]byte{byte(i + 1)}, size)}))
	}
	need.Must(t, errors.Join(err, w.Close()))
	f, err := OpenReader(bytes.NewReader(out.Bytes()), int64(out.Len()), "test", Options{})
	need.Must(t, err)
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			if err := readTurned(f, n); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	checkCache(t)
}

// checkCache checks the contents of an idle cache.
func checkCache(t *testing.T) {
	t.Helper()
	kept := 0
	for _, k := range contents.order {
		kept += k.weight()
		if k.users != 1 {
			t.Errorf("the chunk at byte %d has %d users", k.from, k.users)
		}
	}
	if kept != contents.bytes || kept > cacheBytes {
		t.Errorf("%d bytes are kept, %d counted", kept, contents.bytes)
	}
}

// TestClaims checks that a chunk's claimed size isn't kept in memory if little of it can be
// unpacked.
func TestClaims(t *testing.T) {
	const chunks, claim = 5, 20 << 20
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	need.Must(t, err)
	b := withChannel()
	for i := range chunks {
		stored := pack.EncodeAll(messageRecord(i, messageHead+5, []byte("whole")), nil)
		stored = append(stored, make([]byte, 1<<10)...) // no zstd
		b = appendRecord(b, opChunk, appendChunk(nil, claim, "zstd", stored))
	}
	before := contents.bytes
	list, bad, f, err := readAll(b)
	if err != nil || bad > 0 || len(list) != chunks {
		t.Fatalf("%q, %d bad, %v", list, bad, err)
	}
	checkCache(t)
	if more := contents.bytes - before; more > giantBytes {
		t.Errorf("%d bytes are kept for %q", more, list)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if slices.ContainsFunc(contents.order, func(k *content) bool { return k.file == f }) {
		t.Error("chunks of a closed file are kept")
	}
}

// readTurned reads all blocks, starting with block first and wrapping around.
func readTurned(f *File, first int) error {
	var buffer []byte
	blocks := f.Blocks()
	for i := range blocks {
		at := (first*len(blocks)/4 + i) % len(blocks)
		entries, err := f.Entries(at)
		if err != nil {
			return err
		}
		for _, e := range entries {
			data, err := f.Read(at, e, func(n int) []byte {
				buffer = slices.Grow(buffer[:0], n)
				return buffer
			})
			if err != nil {
				return err
			}
			if bytes.Count(data, []byte{byte(e.Time)}) != 1<<20 {
				return fmt.Errorf("the message at %d has bytes of another", e.Time)
			}
		}
	}
	return nil
}
