package rosbag

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// bag12 is a version 1.2 bag, in which definitions and messages follow each other. The second topic has
// no definition of its own.
func bag12() []byte {
	b := []byte(magic12)
	b = bagrecord.AppendHeader(b, bagrecord.OpFileHeader, func(b []byte) []byte { return bagrecord.AppendU64(b, "index_pos", 0) })
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = bagrecord.AppendHeader(b, bagrecord.OpDefinition12, func(b []byte) []byte {
		b = bagrecord.AppendString(b, "def", "string data\n")
		b = bagrecord.AppendString(b, "md5", "992ce8a1687cec8c8bd883ec73ca41d1")
		b = bagrecord.AppendString(b, "topic", "/a")
		return bagrecord.AppendString(b, "type", "std_msgs/String")
	})
	b = binary.LittleEndian.AppendUint32(b, 0)
	for i := range 20 {
		data := stockbag.Text(i, 20)
		b = bagrecord.AppendHeader(b, bagrecord.OpMessage, func(b []byte) []byte {
			b = bagrecord.AppendString(b, "topic", []string{"/a", "/b"}[i%2])
			b = bagrecord.AppendString(b, "type", "std_msgs/String")
			b = bagrecord.AppendString(b, "md5", "992ce8a1687cec8c8bd883ec73ca41d1")
			b = bagrecord.AppendU32(b, "sec", uint32(100+i))
			return bagrecord.AppendU32(b, "nsec", 7)
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
