package rosbag

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/record"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// bag12 is a version 1.2 bag, in which definitions and messages follow each other. The second topic has
// no definition of its own.
func bag12() []byte {
	b := []byte(magic12)
	b = record.AppendHeader(b, record.OpFileHeader, func(b []byte) []byte { return record.AppendU64(b, "index_pos", 0) })
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = record.AppendHeader(b, record.OpDefinition12, func(b []byte) []byte {
		b = record.AppendString(b, "def", "string data\n")
		b = record.AppendString(b, "md5", "992ce8a1687cec8c8bd883ec73ca41d1")
		b = record.AppendString(b, "topic", "/a")
		return record.AppendString(b, "type", "std_msgs/String")
	})
	b = binary.LittleEndian.AppendUint32(b, 0)
	for i := range 20 {
		data := stockbag.Text(i, 20)
		b = record.AppendHeader(b, record.OpMessage, func(b []byte) []byte {
			b = record.AppendString(b, "topic", []string{"/a", "/b"}[i%2])
			b = record.AppendString(b, "type", "std_msgs/String")
			b = record.AppendString(b, "md5", "992ce8a1687cec8c8bd883ec73ca41d1")
			b = record.AppendU32(b, "sec", uint32(100+i))
			return record.AppendU32(b, "nsec", 7)
		})
		b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
		b = append(b, data...)
	}
	return b
}

// TestVersion12 reads a 1.2 bag as the stock library does, and copies it.
func TestVersion12(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.bag")
	need.Must(t, os.WriteFile(path, bag12(), 0o600))
	var want []seen
	for i := range 20 {
		want = append(want, stockbag.NewMessage([]string{"/a", "/b"}[i%2], bagstore.NewTime(uint32(100+i), 7), stockbag.Text(i, 20)))
	}
	stockbag.Compare(t, "1.2", readAll(t, path, bagstore.OpenOptions{}), want)
	out := path + ".new"
	copyBag(t, path, out)
	everywhere(t, out, want)
	rep, err := checkFile(t.Context(), path, bagstore.CheckOptions{})
	if err != nil || rep.Outcome != bagstore.Sound || rep.Messages != 20 {
		t.Errorf("%+v %v", rep, err)
	}
	raw := bag12()
	got, _, err := readDamaged(raw[:len(raw)-3])
	need.Must(t, err)
	stockbag.Compare(t, "torn", got, want[:19])
}
