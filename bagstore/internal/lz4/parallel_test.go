package lz4

import (
	"bytes"
	"encoding/binary"
	"testing"

	pierrec "github.com/pierrec/lz4/v4"

	"rsros/test/need"
)

// smallBlocks makes a frame of independent blocks of 64 KiB.
func smallBlocks(tb testing.TB, content []byte) []byte {
	var out bytes.Buffer
	w := pierrec.NewWriter(&out)
	need.Must(tb, w.Apply(pierrec.BlockSizeOption(pierrec.Block64Kb)))
	if _, err := w.Write(content); err != nil {
		tb.Fatal(err)
	}
	need.Must(tb, w.Close())
	return out.Bytes()
}

// checkParallel compares parallel with sequential decoding: where parallel decoding succeeds, both fill
// dst alike, leave the same bytes after the blocks and have the same checksum.
func checkParallel(t *testing.T, dst, frame []byte) bool {
	t.Helper()
	if len(frame) < 7 {
		return false
	}
	rest, sum, ok := decodeParallel(dst, frame[7:], frame[4], frame[5])
	if !ok {
		return false
	}
	want := make([]byte, len(dst))
	n, wantRest, err := decodeBlocks(want, frame[7:], frame[4])
	if err != nil || n != len(dst) || !bytes.Equal(dst, want) || !bytes.Equal(rest, wantRest) {
		t.Fatalf("side by side %d bytes, one after another %d, %v", len(dst), n, err)
	}
	if whole := xxh32(want); frame[4]&flagContentSum != 0 && sum != whole {
		t.Fatalf("checksum by blocks %#08x, of all %#08x", sum, whole)
	}
	return true
}

// TestDecodeParallel checks frames of several blocks, ordinary and not.
func TestDecodeParallel(t *testing.T) {
	content := append(bytes.Clone(depth()[:150_000]), blocksOf()[0]...) // the noise is stored
	usual := smallBlocks(t, content)
	second := 7 + 4 + int(binary.LittleEndian.Uint32(usual[7:])&^storedBit)
	for _, c := range []struct {
		name string
		make func() []byte
		want bool
	}{
		{"usual", func() []byte { return usual }, true},
		{"ours, one block", func() []byte { return (&Encoder{}).Append(nil, content) }, false},
		{"cut in a block", func() []byte { return usual[:second+100] }, false},
		{"cut in a length", func() []byte { return usual[:second+2] }, false},
		{"no end mark", func() []byte { return usual[:len(usual)-8] }, false},
		{"a block missing", func() []byte { return append(bytes.Clone(usual[:7]), usual[second:]...) }, false},
		{"a block twice", func() []byte { return append(bytes.Clone(usual[:second]), usual[7:]...) }, false},
		{"a short block first", func() []byte {
			short := append(bytes.Clone(usual[:7]), 1, 0, 0, 0x80, 'x')
			return append(short, usual[second:]...)
		}, false},
		{"block size unknown", func() []byte {
			odd := bytes.Clone(usual)
			odd[5] = 0x10
			return odd
		}, false},
	} {
		if got := checkParallel(t, make([]byte, len(content)), c.make()); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	out := make([]byte, len(content))
	if n, err := Decode(out, usual, true); err != nil || n != len(out) || !bytes.Equal(out, content) {
		t.Errorf("whole frame: %d, %v", n, err)
	}
}
