package rosbag

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// TestLiveRecorder checks that what a reader once found in a tail file stays there while the recorder
// goes on writing to it.
func TestLiveRecorder(t *testing.T) {
	tail := newTailFile(filepath.Join(t.TempDir(), "x.tail"), 7)
	tail.Put(1, []byte("a"))
	defer tail.Close(1)
	f, err := os.Open(tail.path)
	need.Must(t, err)
	defer f.Close()
	content := make([]byte, 1<<20)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 2; n < len(content); n += 64 {
			tail.Put(1, content[:n])
		}
	}()
	for last := 0; ; {
		slots, n := 0, 0
		for _, content := range readTailSlots(f, sizeOf(t, f), 7, 0) {
			slots, n = slots+1, len(content)
		}
		if slots != 1 || n < last {
			t.Errorf("%d slots, had %d bytes", slots, last)
			break
		}
		last = n
		select {
		case <-done:
			return
		default:
		}
	}
	<-done
}

// FuzzRead reads arbitrary bytes as a tail file.
func FuzzRead(f *testing.F) {
	head := tailEntry{chunk: 1, n: 3, crc: crc32.ChecksumIEEE([]byte("abc"))}.header(7)
	f.Add(append(head, "abc"...))
	f.Add(append(head, "abd"...))
	f.Add(append(head, "ab"...))
	f.Add(tailEntry{chunk: 1, n: tailSlotSize - tailHeader}.header(7))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "x.tail")
		need.Must(t, os.WriteFile(path, raw, 0o600))
		file, err := os.Open(path)
		need.Must(t, err)
		defer file.Close()
		for chunk, content := range readTailSlots(file, sizeOf(t, file), 7, 0) {
			if len(content) == 0 || len(content) > len(raw)-tailHeader || chunk == 0 {
				t.Errorf("chunk %d with %d bytes in a file of %d", chunk, len(content), len(raw))
			}
		}
	})
}

func sizeOf(t *testing.T, f *os.File) func() int64 {
	return func() int64 {
		st, err := f.Stat()
		need.Must(t, err)
		return st.Size()
	}
}
