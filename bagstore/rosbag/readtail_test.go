package rosbag

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestHugeTail checks that a sparse tail file beside a bag of 4 KiB, full of large chunks of zeros, takes no more memory
// than a Writer can have waiting, and that what is left out is noted.
func TestHugeTail(t *testing.T) {
	const slots, token = 12, 0x1234567
	path := filepath.Join(t.TempDir(), "a.bag")
	need.Must(t, os.WriteFile(path, fileHeader(firstChunk, 0, 0, token), 0o666))
	f, err := os.Create(tailPath(path, token))
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // only for this test
	head := appendConnection(nil, &bagstore.Connection{ID: 0, Topic: "/x", Type: "std_msgs/Empty", MD5: "d41d8cd98f00b204e9800998ecf8427e"})
	head = appendMessage(head, 0, bagstore.Time(5), 0, maxTailContent-len(head)-len(appendMessage(nil, 0, 5, 0, 0)))
	sum := crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, make([]byte, maxTailContent-len(head)))
	for chunk := 1; chunk <= slots; chunk++ {
		b := append([]byte("RSTAIL1\n"), make([]byte, 32)...)
		binary.LittleEndian.PutUint64(b[8:], token)
		binary.LittleEndian.PutUint64(b[16:], uint64(chunk))
		binary.LittleEndian.PutUint64(b[24:], maxTailContent)
		binary.LittleEndian.PutUint32(b[32:], sum)
		if _, err := f.WriteAt(append(b, head...), int64(chunk)*(maxTailContent+int64(len(b)))); err != nil {
			t.Fatal(err)
		}
	}
	need.Must(t, f.Truncate((slots+1)*(maxTailContent+40)))
	b := openBag(t, path, bagstore.OpenOptions{})
	noted := slices.ContainsFunc(b.Notes(), func(n bagstore.Note) bool { return n.Severity == bagstore.Loss })
	const most = maxTail / (maxTailContent + 64) // with the header of a chunk
	if held := FileOf(b).r.(*joined).more; len(held) > maxTail || b.MessageCount() != most || !noted {
		t.Errorf("%d messages, %d bytes are held, at most %d; notes %v", b.MessageCount(), len(held), maxTail, b.Notes())
	}
}
