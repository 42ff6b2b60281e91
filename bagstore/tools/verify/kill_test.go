package verify

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"rsros/bagstore"
	"rsros/bagstore/proof"
	"rsros/test/peer"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("VERIFY_RECORDER"); path != "" {
		recordUntilKilled(path)
	}
	goleak.VerifyTestMain(m)
}

// recordUntilKilled runs in the re-executed test binary. It prints how many messages are safe after each checkpoint.
func recordUntilKilled(path string) {
	key, err := proof.ReadKey(os.Getenv("VERIFY_KEY"), nil)
	if err != nil {
		panic(err)
	}
	limited := limitFiles(os.Getenv("VERIFY_LIMIT"))
	kind, _ := strconv.Atoi(os.Getenv("VERIFY_SINK"))
	w, err := bagstore.Create(path, bagstore.Options{Sign: key, ChunkSize: 2000, Checkpoint: -1, Live: true, Sink: bagstore.SinkKind(kind),
		Compression: bagstore.Compression(os.Getenv("VERIFY_COMPRESSION"))})
	if err != nil {
		panic(err)
	}
	id, err := w.AddConnection(bagstore.Connection{Topic: "/kill", Type: "test/Kill"})
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		data := make([]byte, i%3000)
		if i%10 == 9 {
			data = make([]byte, 300_000+i%700)
		}
		if err := w.Lend(id, start+bagstore.Time(i), func() {}, data); err != nil {
			if err := w.Close(); err == nil || !limited {
				panic(err)
			}
			os.Exit(0)
		}
		if i%30 == 29 {
			if err := w.Checkpoint(); err != nil {
				continue // the next message ends it
			}
			fmt.Println(i + 1)
		}
	}
}

// TestKilled kills recorders at random moments. Everything up to the last checkpoint is proven.
func TestKilled(t *testing.T) {
	key := testKeyFile(t)
	k, err := proof.ReadKey(key, nil)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(8, 9))
	for i := range 12 {
		path := filepath.Join(t.TempDir(), "walk.bag")
		cmd := peer.Again()
		cmd.Env = append(os.Environ(), "VERIFY_RECORDER="+path, "VERIFY_KEY="+key, fmt.Sprint("VERIFY_SINK=", i%3),
			"VERIFY_COMPRESSION="+[]string{"none", "lz4"}[i/3%2])
		safe, _ := strconv.Atoi(peer.Kill(t, cmd, rnd, 5))
		rep := verified(t, path, k.Public())
		if !rep.Same() || rep.Complete || rep.Messages < uint64(safe) {
			t.Errorf("kill %d: %d messages of %d are proven: %s", i, rep.Messages, safe, text(rep))
		}
	}
}
