package attack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dsnet/compress/bzip2"
	"github.com/klauspost/compress/zstd"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/test/need"
	"rsros/test/peer"
)

// bombMemory bounds what a command may keep resident for a bomb. It is less than decision
// 22 promises, so that small bombs show whether they are held in memory.
const bombMemory = 128 << 20

// TestBombs lets the file commands read files of some KB that unpack to up to 3 GB: they
// stay small, and none ends as if all was read. RS_ATTACK makes most of them six times as
// large; without it, only two commands unpack bzip2, which is slow.
func TestBombs(t *testing.T) {
	t.Parallel()
	need.Programs(t, "go")
	a := attack{t: t, program: peer.Released(t)}
	share := 6
	if os.Getenv("RS_ATTACK") != "" {
		share = 1
	}
	dir := t.TempDir()
	write := func(name string, content []byte) {
		need.Must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	zeros := func(n int) []byte { return packZeros(t, newZstd, n) }
	pack := func(content []byte) []byte { return packed(t, newZstd, content) }
	write("claimed.mcap", mcapFile(1, 1<<30, pack(mcapMessage(8))))
	nothing, message, bag := 256/share<<20, 900/share<<20, 840/share<<20
	const chunk = 69 << 20
	write("zeros.mcap", mcapFile(1, nothing, zeros(nothing)))
	write("message.mcap", mcapFile(1, message+mcapHead, append(pack(mcapMessage(message)), zeros(message)...)))
	write("chunks.mcap", mcapFile(20/share, chunk+mcapHead, append(pack(mcapMessage(chunk)), zeros(chunk)...)))
	head := bagMessage(bag)
	write("bz2.bag", bagFile(len(head)+bag, append(packed(t, newBzip2, head), packZeros(t, newBzip2, bag)...)))

	large := zeros(250 << 20)
	w, err := db3.Create(filepath.Join(dir, "messages.db3"), bagstore.Options{}, func(w *db3.Writer) error {
		_, err := w.AddTopic(bagstore.Topic{Name: "/a", Type: "std_msgs/msg/UInt8MultiArray"})
		for i := range int64(13) {
			err = errors.Join(err, w.Write(1, i, large))
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	need.Must(t, err)

	for _, name := range []string{"claimed.mcap", "zeros.mcap", "message.mcap", "chunks.mcap", "bz2.bag", "messages.db3"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, in, out := attack{t: t, program: a.program}, filepath.Join(dir, name), filepath.Join(t.TempDir(), "out")
			kind, other := filepath.Ext(name), ".mcap"
			if kind == other {
				other = ".bag"
			}
			lines := []string{"cat --noarr IN", "recover -o OUT" + kind + " IN", "info IN", "check IN", "convert IN -o OUTc" + other}
			if name == "bz2.bag" && share > 1 {
				lines = lines[:2]
			}
			for _, line := range lines {
				log, code, resident := a.execute(strings.Fields(strings.NewReplacer("IN", in, "OUT", out).Replace(line)))
				codes := []int{1, 3}
				if strings.HasPrefix(line, "info") {
					codes = []int{0, 1, 3} // it doesn't read messages
				}
				if !slices.Contains(codes, code) || resident > bombMemory || strings.Contains(log, "goroutine ") {
					t.Errorf("%s: exit code %d, want one of %d; %d MB\n%.2000s", line, code, codes, resident>>20, log)
				}
			}
		})
	}
}

func newZstd(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }

func newBzip2(w io.Writer) (io.WriteCloser, error) { return bzip2.NewWriter(w, nil) }

func packed(t *testing.T, method func(io.Writer) (io.WriteCloser, error), content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := method(&b)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	need.Must(t, err)
	return b.Bytes()
}

// packZeros packs n zeros as frames of 1 MiB one after the other, as both methods allow.
func packZeros(t *testing.T, method func(io.Writer) (io.WriteCloser, error), n int) []byte {
	t.Helper()
	return bytes.Repeat(packed(t, method, make([]byte, 1<<20)), n>>20)
}

// mcapFile returns a file whose chunks claim size bytes.
func mcapFile(chunks, size int, stored []byte) []byte {
	const magic = "\x89MCAP0\r\n"
	b := mcapRecord([]byte(magic), 1, make([]byte, 8))
	schema := append([]byte{1, 0}, mcapTexts("x/Blob", "ros1msg", "uint8[] data\n")...)
	b = mcapRecord(b, 3, schema)
	b = mcapRecord(b, 4, slices.Concat([]byte{7, 0, 1, 0}, mcapTexts("/a", "ros1"), make([]byte, 4)))
	chunk := binary.LittleEndian.AppendUint64(make([]byte, 16), uint64(size)) // after the times
	chunk = append(append(chunk, make([]byte, 4)...), mcapTexts("zstd")...)
	chunk = append(binary.LittleEndian.AppendUint64(chunk, uint64(len(stored))), stored...)
	for range chunks {
		b = mcapRecord(b, 6, chunk)
	}
	return append(mcapRecord(mcapRecord(b, 15, make([]byte, 4)), 2, make([]byte, 20)), magic...)
}

// mcapMessage returns the beginning of a record with a message of n zeros; it has mcapHead
// bytes.
func mcapMessage(n int) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{5}, uint64(22+4+n))
	b = append(b, 7, 0, 0, 0, 0, 0, 0, 1) // its channel and, in nanoseconds, a time that bags can hold
	return binary.LittleEndian.AppendUint32(append(b, make([]byte, 14)...), uint32(n))
}

const mcapHead = 1 + 8 + 22 + 4

func mcapRecord(b []byte, op byte, content []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(append(b, op), uint64(len(content))), content...)
}

func mcapTexts(list ...string) (b []byte) {
	for _, s := range list {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

// bagFile returns a bag without an index, whose bz2 chunk claims size bytes.
func bagFile(size int, stored []byte) []byte {
	b := append([]byte("#ROSBAG V2.0\n"), bagHeader("op=\x03", "index_pos="+strings.Repeat("\x00", 8), "conn_count="+number(0), "chunk_count="+number(0))...)
	b = append(append(b, number(1000)...), strings.Repeat(" ", 1000)...)
	b = append(b, bagHeader("op=\x05", "compression=bz2", "size="+number(size))...)
	return append(append(b, number(len(stored))...), stored...)
}

// bagMessage returns a connection, and the beginning of a message of n zeros.
func bagMessage(n int) []byte {
	connection := bagHeader("topic=/a", "type=x/Blob", "md5sum=*", "message_definition=uint8[] data\n")
	b := append(bagHeader("op=\x07", "conn="+number(0), "topic=/a"), connection...)
	b = append(b, bagHeader("op=\x02", "conn="+number(0), "time="+number(1)+number(0))...)
	return append(b, number(n)...)
}

// bagHeader returns fields with their length.
func bagHeader(fields ...string) []byte {
	b := mcapTexts(fields...)
	return append([]byte(number(len(b))), b...)
}

func number(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
