package mcap

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore"
	"rsros/bagstore/internal/memory"
	"rsros/test/need"
)

// TestBomb checks that chunks that unpack to far more than their stored size take little memory. A
// message that is too large is rejected with its topic, and the others are read.
func TestBomb(t *testing.T) {
	const chunks = 4
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	need.Must(t, err)
	huge := make([]byte, memory.DefaultLimit+1)
	records := messageRecord(1, messageHead+5, []byte("first"))
	records = append(records, messageRecord(2, messageHead+len(huge), huge)...)
	for len(records) < 64<<20 {
		records = append(records, messageRecord(3, messageHead+8<<20, huge[:8<<20])...)
	}
	stored := pack.EncodeAll(records, nil)
	size := uint64(len(records))
	huge, records = nil, nil
	b := withChannel()
	for range chunks {
		b = appendRecord(b, opChunk, appendChunk(nil, size, "zstd", stored))
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := OpenReader(bytes.NewReader(b), int64(len(b)), "test", Options{})
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // nothing to close
	var buffer []byte
	read, refused := 0, 0
	for i := range f.Blocks() {
		in, err := f.Unpack(i)
		need.Must(t, err)
		entries, err := f.Entries(in, i)
		need.Must(t, err)
		for _, e := range entries {
			buffer, err = f.Read(in, i, e, func(n int) []byte {
				if cap(buffer) < n {
					buffer = make([]byte, 0, n)
				}
				return buffer[:0]
			})
			switch {
			case err == nil:
				read++
			case strings.Contains(err.Error(), `message of "/a"`) && strings.Contains(err.Error(), "33554433 bytes unpacked") && e.Time == bagstore.Time(2):
				refused++
			default:
				t.Error(err)
			}
		}
		in.Release()
	}
	if read != 5*chunks || refused != chunks {
		t.Errorf("%d messages read, %d refused", read, refused)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 40<<20 {
		t.Errorf("a file of %d bytes takes %d MB of memory", len(b), grown>>20)
	}
}

// TestManyMessages checks that, of a chunk with more records than are read, the messages among the first are read.
func TestManyMessages(t *testing.T) {
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	need.Must(t, err)
	one := messageRecord(1, messageHead, nil)
	manyRecords(t, pack, bytes.Repeat(one, memory.MaxMessages+1), memory.MaxMessages)
	manyRecords(t, pack, append(bytes.Repeat(appendRecord(nil, firstPrivate, nil), memory.MaxMessages-1), bytes.Repeat(one, 9)...), 1)
}

func manyRecords(t *testing.T, pack *zstd.Encoder, records []byte, want uint64) {
	t.Helper()
	b := appendRecord(withChannel(), opChunk, appendChunk(nil, uint64(len(records)), "zstd", pack.EncodeAll(records, nil)))
	f, err := OpenReader(bytes.NewReader(b), int64(len(b)), "test", Options{})
	need.Must(t, err)
	if n := f.messages(); n != want {
		t.Errorf("%d messages, want %d", n, want)
	}
	if notes := f.Info().Notes; len(notes) == 0 || !strings.Contains(notes[len(notes)-1].Text, memory.ErrMessages.Error()) {
		t.Errorf("notes: %v", notes)
	}
}
