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

// TestTogether reads all messages in several goroutines, each in a different order, of unpacked chunks and of such that are
// unpacked for each message.
func TestTogether(t *testing.T) {
	const messages, size = 24, 1 << 20
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
}

// TestClaims checks that a chunk's claimed size isn't kept in memory if little of it can be
// unpacked.
func TestClaims(t *testing.T) {
	const claim = 20 << 20
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	need.Must(t, err)
	stored := pack.EncodeAll(messageRecord(1, messageHead+5, []byte("whole")), nil)
	stored = append(stored, make([]byte, 1<<10)...) // no zstd
	b := appendRecord(withChannel(), opChunk, appendChunk(nil, claim, "zstd", stored))
	list, bad, f, err := readAll(b)
	if err != nil || bad > 0 || len(list) != 1 {
		t.Fatalf("%q, %d bad, %v", list, bad, err)
	}
	in, err := f.Unpack(0)
	need.Must(t, err)
	defer in.Release()
	if held := in.Content().Held(); held > claim/8 {
		t.Errorf("%d bytes are held for %q", held, list)
	}
}

// readTurned reads all blocks, starting with block first and wrapping around.
func readTurned(f *File, first int) error {
	var buffer []byte
	blocks := f.Blocks()
	for i := range blocks {
		at := (first*len(blocks)/4 + i) % len(blocks)
		in, err := f.Unpack(at)
		if err != nil {
			return err
		}
		defer in.Release()
		entries, err := f.Entries(in, at)
		if err != nil {
			return err
		}
		if at%2 == 1 {
			in = nil
		}
		for _, e := range entries {
			data, err := f.Read(in, at, e, func(n int) []byte {
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
