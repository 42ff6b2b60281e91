package verify

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/bagstore"
	"rsros/bagstore/proof"
	"rsros/program/pages"
)

func cpuSeconds(b *testing.B) float64 {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// perGB reports the processor time of n bytes at a time.
func perGB(b *testing.B, n int64, do func()) {
	b.SetBytes(n)
	before, rounds := cpuSeconds(b), 0
	for b.Loop() {
		do()
		rounds++
	}
	b.ReportMetric((cpuSeconds(b)-before)/(float64(rounds)*float64(n)/1e9), "cpu-s/GB")
}

const (
	benchFrames = 400
	benchFrame  = 848 * 480 * 2
)

// writeFrames writes depth images, each with 20 small messages.
func writeFrames(b *testing.B, path string, o bagstore.Options) {
	w, err := bagstore.Create(path, o)
	if err != nil {
		b.Fatal(err)
	}
	frame := pages.Cut(benchFrame)[0][:benchFrame]
	for i := range frame {
		frame[i] = byte(i * i >> 7)
	}
	id, err := w.AddConnection(bagstore.Connection{Topic: "/depth", Type: "sensor_msgs/Image"})
	if err != nil {
		b.Fatal(err)
	}
	small := make([]byte, 60)
	for i := range benchFrames {
		at := start + bagstore.Time(i)*33_000_000
		for range 20 {
			if err := w.Write(id, at, small); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Lend(id, at, func() {}, frame); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRecord writes a recording with and without --sign.
func BenchmarkRecord(b *testing.B) {
	key, _ := testKey(b)
	for _, c := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		for _, signed := range []bool{false, true} {
			name := string(c) + "/plain"
			o := bagstore.Options{Compression: c, Overwrite: true, Live: true}
			if signed {
				name, o.Sign = string(c)+"/signed", key
			}
			b.Run(name, func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "walk.bag")
				perGB(b, benchFrames*benchFrame, func() { writeFrames(b, path, o) })
			})
		}
	}
}

// BenchmarkVerify verifies a recording, lets check read it, and hashes as many bytes of memory: of one frame again and
// again, and of as many frames as the recording has, which no cache holds.
func BenchmarkVerify(b *testing.B) {
	key, public := testKey(b)
	path := filepath.Join(b.TempDir(), "walk.bag")
	writeFrames(b, path, bagstore.Options{Sign: key})
	b.Run("verify", func(b *testing.B) {
		perGB(b, benchFrames*benchFrame, func() {
			if r := verified(b, path, public); !r.Same() {
				b.Fatal(text(r))
			}
		})
	})
	b.Run("check", func(b *testing.B) {
		perGB(b, benchFrames*benchFrame, func() {
			if r, err := bagstore.Check(b.Context(), path, bagstore.CheckOptions{}); err != nil || r.Outcome != bagstore.Sound {
				b.Fatal(r, err)
			}
		})
	})
	for name, n := range map[string]int{"hash of one frame": 1, "hash": benchFrames} {
		b.Run(name, func(b *testing.B) {
			h, memory := proof.NewHasher(), pages.Cut(n * benchFrame)[0]
			for i := range memory {
				memory[i] = byte(i * i >> 7)
			}
			perGB(b, benchFrames*benchFrame, func() {
				for i := range benchFrames {
					h.Data(memory[i%n*benchFrame:][:benchFrame])
					h.Loose()
				}
			})
		})
	}
}
