package rosbag2

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// split returns a file of some rows of b, by id.
func split(t testing.TB, b []byte, from, to int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "part.db3")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	const script = `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute("DELETE FROM messages WHERE id < ? OR id >= ?", (int(sys.argv[2]), int(sys.argv[3])))
c.commit()
c.execute("VACUUM")
`
	if out, err := exec.Command(need.Python(t, "sqlite3"), "-c", script, path, fmt.Sprint(from), fmt.Sprint(to)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGroup checks that a part of several files is that of one file with all rows, with the last message before it of
// each topic and all of some, and that few others are listed if the metadata counts them.
func TestGroup(t *testing.T) {
	const n = 3000
	b, metadata, all := latchedFile(t, n, nil)
	var parts [][]byte
	for i := range 3 {
		parts = append(parts, split(t, b, 1+i*n/3, 1+(i+1)*n/3))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, metadata := range [][]byte{metadata, nil} {
		var files []*File
		var topics [][]uint32
		for _, b := range parts {
			f := openLatched(t, b)
			files, topics = append(files, f), append(topics, everyTopic(f))
		}
		g := NewGroup(files, topics, files[0].topicNames(), metadata)
		list, ok := g.Counts()
		if ok != (metadata != nil) || ok && len(list) != 6 {
			t.Errorf("counts: %v, %v", list, ok)
		}
		for i := range 20 {
			start := bagstore.Time(r.Int64N(780_000))
			end := start + bagstore.Time(r.Int64N(20_000))
			whole := []uint32{2, 5} // the indexes of /seldom and /early
			if err := g.Narrow(t.Context(), bagstore.Part{Start: start, End: end, Last: everyTopic(g.files[0]), All: whole[i%2:]}); err != nil {
				t.Fatal(err)
			}
			var list []row
			for _, f := range g.files {
				if list = append(list, rows(t, f)...); len(f.Found()) > 0 {
					t.Error(f.Found())
				}
			}
			got, want := within(list, start, end), within(all, start, end)
			if !slices.Equal(got, want) {
				t.Errorf("from %d to %d: %d messages, want %d", start, end, len(got), len(want))
			}
			if got, want := fmt.Sprint(lastOfEach(list, start)), fmt.Sprint(lastOfEach(all, start)); got != want {
				t.Errorf("before %d: %s, want %s", start, got, want)
			}
			early := 0
			for _, topic := range []string{"/seldom", "/early"}[i%2:] {
				got, want := earlierOf(list, topic, start), earlierOf(all, topic, start)
				if early += len(want); !slices.Equal(got, want) {
					t.Errorf("all of %s before %d: %d messages, want %d", topic, start, len(got), len(want))
				}
			}
			if others := len(list) - len(got); metadata != nil && others > 3*headRows+2*(early+len(g.names)) {
				t.Errorf("before %d: %d messages, %d of them wanted", start, others, early)
			}
		}
	}
}

func earlierOf(list []row, topic string, start bagstore.Time) []row {
	return within(slices.DeleteFunc(slices.Clone(list), func(r row) bool { return r.Topic != topic }), 0, start-1)
}

// TestGroupCountsDamaged checks that the counts in files stay known if a file turns out to have a damaged index, and is
// listed whole.
func TestGroupCountsDamaged(t *testing.T) {
	const n = 5001
	var files []*File
	for i := range 2 {
		b, err := os.ReadFile(writeDescribed(t, n, 2501, 2500, 1000, 1000+n-1))
		if err != nil {
			t.Fatal(err)
		}
		const page, indexLeaf = 4096, 10
		var leaves [][]byte
		for p := range slices.Chunk(b, page) {
			if p[0] == indexLeaf {
				leaves = append(leaves, p)
			}
		}
		if i == 1 {
			clear(leaves[len(leaves)/2])
		}
		files = append(files, openLatched(t, b))
	}
	g := NewGroup(files, [][]uint32{{0, 1}, {0, 1}}, []string{"/a", "/b"}, nil)
	for _, partial := range []bool{true, false} {
		list, ok := g.Counts()
		if want := []bagstore.ConnCount{{ID: 0, Count: 5002}, {ID: 1, Count: 5000}}; !ok || !slices.Equal(list, want) || files[1].Partial() != partial {
			t.Errorf("counts %v, %v, want %v; a part: %v, want %v", list, ok, want, files[1].Partial(), partial)
		}
		if err := g.Narrow(t.Context(), bagstore.Part{Start: 1000, End: 1000 + n}); err != nil {
			t.Fatal(err)
		}
	}
}
