package verify

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/proof"
	"rsros/test/signingkey"
)

// testKeyFile writes a secret key without a password, and returns its path.
func testKeyFile(t testing.TB) string {
	t.Helper()
	secret, _ := signingkey.Pair(t)
	return secret
}

func testKey(t testing.TB) (*proof.Key, proof.PublicKey) {
	t.Helper()
	k, err := proof.ReadKey(testKeyFile(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	return k, k.Public()
}

// start is the time of the first message.
const start = bagstore.Time(1_700_000_000_000_000_000)

type written struct {
	conn  int
	time  bagstore.Time
	bytes []byte
}

// writeBag writes a signed bag with small and large messages of three topics, and checkpoints.
func writeBag(t testing.TB, path string, o bagstore.Options, n int) []written {
	t.Helper()
	return writeBagAt(t, path, o, n, start)
}

// writeBagAt is writeBag for another time of the first message.
func writeBagAt(t testing.TB, path string, o bagstore.Options, n int, start bagstore.Time) []written {
	t.Helper()
	w, err := bagstore.Create(path, o)
	if err != nil {
		t.Fatal(err)
	}
	var ids []uint32
	for i, size := range []string{"imu", "image", "status"} {
		id, err := w.AddConnection(bagstore.Connection{Topic: "/" + size, Type: fmt.Sprintf("test/Type%d", i), MD5: "0123456789abcdef0123456789abcdef",
			Definition: "uint8[] data\n", CallerID: "/node", Latching: i == 2})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var list []written
	for i := range n {
		conn := 0
		size := 40 + r.IntN(100)
		switch {
		case i%7 == 3:
			conn, size = 1, 3000+r.IntN(3000)
		case i%11 == 5:
			conn, size = 2, r.IntN(300)
		}
		data := make([]byte, size)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		at := start + bagstore.Time(i)*1_000_000
		list = append(list, written{conn, at, data})
		if conn == 1 && o.Compression == bagstore.None {
			over := make(chan struct{})
			err = w.Lend(ids[conn], at, func() { close(over) }, data[:10], data[10:])
			<-over
		} else {
			err = w.Write(ids[conn], at, data)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%40 == 39 {
			if err := w.Checkpoint(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return list
}

// forms are ways to write a bag.
func forms(key *proof.Key) map[string]bagstore.Options {
	o := func(c bagstore.Compression, sink bagstore.SinkKind) bagstore.Options {
		return bagstore.Options{Compression: c, Sink: sink, ChunkSize: 2000, Checkpoint: -1, NoSync: true, Sign: key, Overwrite: true}
	}
	return map[string]bagstore.Options{
		"none": o(bagstore.None, bagstore.Buffered), "direct": o(bagstore.None, bagstore.Direct), "lz4": o(bagstore.LZ4, bagstore.Buffered), "bz2": o(bagstore.BZ2, bagstore.Buffered),
	}
}

func verified(t testing.TB, path string, key proof.PublicKey) *Report {
	t.Helper()
	rep, err := File(t.Context(), path, Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
