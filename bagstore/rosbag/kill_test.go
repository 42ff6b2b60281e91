package rosbag

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/program/buffers"
	"rsros/test/peer"
	"rsros/test/stockbag"
)

// recordUntilKilled runs in the re-executed test binary: it records at full speed, prints after each
// checkpoint how many messages are safe, and never stops.
func recordUntilKilled(path string) {
	kind, _ := strconv.Atoi(os.Getenv("BAGSTORE_SINK"))
	w, err := create(path, settings{Options: bagstore.Options{ChunkSize: 2000, Checkpoint: -1, Sink: bagstore.SinkKind(kind),
		Compression: bagstore.Compression(os.Getenv("BAGSTORE_COMPRESSION"))}, directFrom: 100_000})
	if err != nil {
		panic(err)
	}
	if _, err := w.AddConnection(stockbag.StringType("/kill")); err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		data := stockbag.Text(i, killSize(i))
		if len(data) >= disk.LendLeast {
			data = append(buffers.Aligned(len(data), disk.Grain)[:0], data...)
		}
		if err := w.Lend(0, bagstore.Time(i+1), func() {}, data); err != nil {
			panic(err)
		}
		if i%30 == 0 {
			if err := w.Checkpoint(); err != nil {
				panic(err)
			}
			fmt.Println(i + 1)
		}
	}
}

// killSize returns the length of a message: most are small, some are written from the caller's memory.
func killSize(i int) int {
	if i%10 == 9 {
		return 70_000 + i%700
	}
	return i % 700
}

// rounds returns the number of rounds of a kill or crash test: usual, or BAGSTORE_KILLS, which make
// soak sets.
func rounds(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("BAGSTORE_KILLS")); err == nil {
		return n
	}
	return usual
}

// TestKill kills recorders with SIGKILL at random moments.
func TestKill(t *testing.T) {
	forcedAlike(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	for i := range rounds(18) {
		path := filepath.Join(dir, fmt.Sprintf("%d.bag", i))
		n := killOne(t, path, rnd, i)
		got := readAll(t, path, bagstore.OpenOptions{})
		if len(got) < n {
			t.Fatalf("kill %d: %d messages, %d were safe", i, len(got), n)
		}
		for j, s := range got {
			if want := (stockbag.NewMessage("/kill", bagstore.Time(j+1), stockbag.Text(j, killSize(j)))); s != want {
				t.Fatalf("kill %d: message %d is %v, want %v", i, j, s, want)
			}
		}
		stockFinds(t, path, got[:n])
		if i%9 == 0 {
			if _, err := stockbag.Run(t, "/usr/bin/rosbag", "info", path); err != nil {
				t.Error(err)
			}
		}
	}
}

// killOne starts a recorder, kills it after a while, and returns how many messages it had reported
// safe.
func killOne(t *testing.T, path string, rnd *rand.Rand, i int) int {
	t.Helper()
	kinds := append(sinks(), bagstore.Auto)
	cmd := peer.Again()
	cmd.Env = append(os.Environ(), "BAGSTORE_RECORDER="+path, fmt.Sprint("BAGSTORE_SINK=", int(kinds[i%len(kinds)])),
		"BAGSTORE_COMPRESSION="+[]string{"none", "lz4"}[i/3%2])
	safe, _ := strconv.Atoi(peer.Kill(t, cmd, rnd, 5))
	return safe
}
