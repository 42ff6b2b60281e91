package verify

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/proof"
	"rsros/bagstore/tools/rewrite"
)

// cut copies the messages that keep accepts, whole chunks as they are stored, as filter does. change may change
// a message before it is written.
func cut(t *testing.T, from, to string, o bagstore.Options, q bagstore.Query, change func(i int, m *bagstore.Message) (copies int)) {
	t.Helper()
	b, err := bagstore.Open(from, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	o.Sign = nil
	w, err := bagstore.CreateOutput(t.Context(), to, o)
	if err != nil {
		t.Fatal(err)
	}
	w.Keep(b.Connections())
	i := 0
	for m, err := range bagstore.NewView([]*bagstore.Bag{b}, q).Messages() {
		if err != nil {
			t.Fatal(err)
		}
		copies := 1
		if change != nil {
			copies = change(i, &m)
		}
		for range copies {
			if err := w.Copy(m, m.Time); err != nil {
				t.Fatal(err)
			}
		}
		i++
	}
	if err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
}

// TestPart verifies bags that were made of a recording, message by message.
func TestPart(t *testing.T) {
	key, public := testKey(t)
	dir := t.TempDir()
	walk, out := filepath.Join(dir, "walk.bag"), filepath.Join(dir, "cut.bag")
	o := forms(key)["lz4"]
	list := writeBag(t, walk, o, 200)
	part := func(q bagstore.Query, change func(int, *bagstore.Message) int) *Report {
		t.Helper()
		cut(t, walk, out, o, q, change)
		rep, err := Part(t.Context(), out, Options{Key: public, Logs: []string{proof.LogPath(walk)}})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	if rep := part(bagstore.Query{}, nil); !rep.Same() || rep.Messages != uint64(len(list)) || rep.LeftOut != 0 {
		t.Errorf("all: %+v", rep)
	}
	between := bagstore.Query{Start: list[33].time, End: list[150].time}
	if rep := part(between, nil); !rep.Same() || rep.Messages != 118 || rep.LeftOut != 0 {
		t.Errorf("a time range: %+v", rep)
	}
	imu := bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == "/imu" }}
	if rep := part(imu, nil); !rep.Same() || rep.Messages == 0 || rep.LeftOut != 0 {
		t.Errorf("a topic: %+v", rep)
	}
	for name, c := range map[string]struct {
		change  func(i int, m *bagstore.Message) int
		kind    Kind
		leftOut uint64
	}{
		"changed": {func(i int, m *bagstore.Message) int {
			if i == 50 {
				m.Data = append([]byte{m.Data[0] ^ 1}, m.Data[1:]...)
			}
			return 1
		}, Changed, 1},
		"another time": {func(i int, m *bagstore.Message) int {
			if i == 50 {
				m.Time++
			}
			return 1
		}, Added, 1},
		"another topic": {func(i int, m *bagstore.Message) int {
			if i == 50 {
				other := *m.Conn
				other.Topic = "/other"
				m.Conn = &other
			}
			return 1
		}, Added, 1},
		"twice": {func(i int, _ *bagstore.Message) int {
			if i == 50 {
				return 2
			}
			return 1
		}, Added, 0},
		"dropped": {func(i int, _ *bagstore.Message) int {
			if i == 50 {
				return 0
			}
			return 1
		}, "", 1},
	} {
		rep := part(bagstore.Query{}, c.change)
		if rep.LeftOut != c.leftOut || (c.kind == "") != rep.Same() || c.kind != "" && (len(rep.Differences) != 1 || rep.Differences[0].Kind != c.kind) {
			t.Errorf("%s: %d left out: %s", name, rep.LeftOut, text(rep))
		}
	}
}

// merge makes a bag of others.
func merge(t *testing.T, out string, paths ...string) {
	t.Helper()
	var bags []*bagstore.Bag
	for _, path := range paths {
		b, err := bagstore.Open(path, bagstore.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		bags = append(bags, b)
	}
	if _, err := rewrite.Merge(t.Context(), bags, out, rewrite.Options{Options: bagstore.Options{Overwrite: true}}); err != nil {
		t.Fatal(err)
	}
}

// TestJoinedAfterAKill merges a recording that wasn't ended with a later one of the same topics. What follows the proven
// end of the first isn't proven; among the messages of the second, it would be a difference.
func TestJoinedAfterAKill(t *testing.T) {
	key, public := testKey(t)
	dir := t.TempDir()
	first, second, other, both := filepath.Join(dir, "walk_0.bag"), filepath.Join(dir, "walk_1.bag"), filepath.Join(dir, "other.bag"), filepath.Join(dir, "both.bag")
	o := forms(key)["none"]
	writeBag(t, first, o, 200)
	writeBagAt(t, second, o, 200, start+10e9)
	log := proof.LogPath(first)
	whole := read(t, log)
	if err := os.WriteFile(log, whole[:len(whole)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, file := range proof.Files(first)[1:] {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	part := func(of string, logs ...string) *Report {
		t.Helper()
		rep, err := Part(t.Context(), of, Options{Key: public, Logs: logs})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	alone := part(first, log)
	if !alone.Same() || alone.Complete || alone.Messages == 0 || alone.UnprovenMessages == 0 {
		t.Fatalf("alone: %+v", alone)
	}
	merge(t, both, first, second)
	if rep := part(both, log, proof.LogPath(second)); !rep.Same() || len(rep.Open) != 1 || rep.Open[0] != "walk_0.bag" || rep.Messages != alone.Messages+200 || rep.UnprovenMessages != alone.UnprovenMessages {
		t.Errorf("with a later one: %d messages, %d unproven: %s", rep.Messages, rep.UnprovenMessages, text(rep))
	}
	cut(t, second, other, o, bagstore.Query{}, func(i int, m *bagstore.Message) int {
		switch i {
		case 50:
			m.Data = append([]byte{m.Data[0] ^ 1}, m.Data[1:]...)
		case 60:
			m.Time++
		}
		return 1
	})
	merge(t, both, first, other)
	if rep := part(both, log, proof.LogPath(second)); len(rep.Differences) != 2 || rep.UnprovenMessages != alone.UnprovenMessages {
		t.Errorf("the later one has changed: %d unproven: %s", rep.UnprovenMessages, text(rep))
	}
}

// TestJoined verifies a bag that was made of two recordings with the logs of both.
func TestJoined(t *testing.T) {
	key, public := testKey(t)
	dir := t.TempDir()
	first, second, both := filepath.Join(dir, "walk_0.bag"), filepath.Join(dir, "walk_1.bag"), filepath.Join(dir, "both.bag")
	o := forms(key)["none"]
	writeBag(t, first, o, 200)
	writeBag(t, second, o, 100) // of the same times: each message of it is there twice
	logs := []string{proof.LogPath(first), proof.LogPath(second)}
	part := func(logs ...string) *Report {
		t.Helper()
		rep, err := Part(t.Context(), both, Options{Key: public, Logs: logs})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	merge(t, both, first, second)
	if rep := part(logs...); !rep.Same() || rep.Messages != 300 || rep.LeftOut != 0 || rep.Recording != "walk_0.bag, walk_1.bag" {
		t.Errorf("%d messages, %d left out, of %s: %s", rep.Messages, rep.LeftOut, rep.Recording, text(rep))
	}
	if rep := part(logs[0]); len(rep.Differences)+int(rep.More) != 100 || rep.Differences[0].Kind != Added {
		t.Errorf("of one recording: %s", text(rep))
	}
	merge(t, both, first, second, second)
	if rep := part(logs...); len(rep.Differences) != 100 {
		t.Errorf("one recording twice: %s", text(rep))
	}
	if _, err := Part(t.Context(), both, Options{Key: public, Logs: append(logs, logs[0])}); err == nil {
		t.Error("a log counts twice")
	}
}
