package lz4

import (
	"bytes"
	"testing"

	pierrec "github.com/pierrec/lz4/v4"
)

// FuzzDecode compares decoding arbitrary frames, whole and truncated, with the library's decoder.
func FuzzDecode(f *testing.F) {
	var e Encoder
	plain := bytes.Repeat([]byte("some bytes that repeat themselves. "), 40)
	f.Add(e.Append(nil, plain), 100)
	f.Add(e.Append(nil, []byte("x")), 3)
	f.Add(smallBlocks(f, make([]byte, 2<<16+100)), 9)
	f.Fuzz(func(t *testing.T, frame []byte, cut int) {
		checkParallel(t, make([]byte, 2<<16+100), frame)
		dst := make([]byte, 1<<16)
		n, err := Decode(dst, frame, cut%2 == 0)
		if n > len(dst) {
			t.Fatal("more than there is room for")
		}
		if err == nil {
			t.Fatal("a frame that fills the room exactly") // the seeds don't
		}
		if cut >= 0 && cut < len(frame) {
			k, _ := Decode(make([]byte, 1<<16), frame[:cut], false)
			_ = k
		}
		// What is whole decodes as the library's own block decoder does.
		torn := make([]byte, 4096)
		whole := make([]byte, 4096)
		if m, err := pierrec.UncompressBlock(frame, whole); err == nil {
			if k, err := decodeSequences(torn, 0, 0, frame); k != m || err != nil || !bytes.Equal(torn[:k], whole[:m]) {
				t.Fatalf("block of %d bytes: got %d, want %d", len(frame), k, m)
			}
		}
	})
}
