package info

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// BenchmarkTiny summarizes a bag of a million tiny messages.
func BenchmarkTiny(b *testing.B) {
	for _, kind := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		path := filepath.Join(cmp.Or(os.Getenv("BENCH_DIR"), b.TempDir()), "tiny-info-"+string(kind)+".bag")
		b.Cleanup(func() { os.Remove(path) })
		w := samplebag.Create(b, path, bagstore.Options{Compression: kind, Overwrite: true})
		for i := range 4 {
			w.Add(bagstore.Connection{Topic: fmt.Sprintf("/t%d", i), Type: "std_msgs/UInt64", MD5: "1b2a79973e8bf53d7b53acb71299cb57", Definition: "uint64 data\n"})
		}
		for i := range 1_000_000 {
			data := []byte{byte(i), byte(i >> 8), byte(i >> 16), 0, 0, 0, 0, 0}
			need.Must(b, w.Write(uint32(i&3), bagstore.Time(1_700_000_000e9)+bagstore.Time(i)*100_000, data))
		}
		w.Done()
		b.Run("info/"+string(kind), func(b *testing.B) {
			for b.Loop() {
				if _, err := summarizeFile(b, path, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
