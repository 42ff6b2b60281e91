package mcap

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rsros/bagstore"
)

// TestLive writes messages of all sizes, reads the file while it is written and when it is complete, and takes it away.
func TestLive(t *testing.T) {
	for _, compression := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		path := filepath.Join(t.TempDir(), "x.mcap")
		now := time.Unix(1, 0)
		o := bagstore.Options{Compression: compression, NoSync: true, Now: func() time.Time { return now }}
		w, err := Create(path, ProfileROS2, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Create(path, ProfileROS2, o); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a second file: %v", err)
		}
		id, err := w.AddTopic(bagstore.Topic{Name: "/a", Type: "std_msgs/msg/String", Encoding: bagstore.CDR})
		if err != nil {
			t.Fatal(err)
		}
		messages := [][]byte{{1}, bytes.Repeat([]byte{2}, lent-1), bytes.Repeat([]byte{3}, lent), {4}, bytes.Repeat([]byte{5, 6, 7}, 2<<20), {8}}
		for i, m := range messages {
			cut := 1
			if i == 4 { // the first part is the large one
				cut = len(m) - 1
			}
			if err := w.Write(id, int64(i+1), m[:cut], m[cut:]); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(time.Second)
		if err := w.CommitIfDue(); err != nil {
			t.Fatal(err)
		}
		read := func(when string) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := OpenReader(bytes.NewReader(b), int64(len(b)), path, Options{})
			if err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			defer f.Close() //nolint:errcheck // it is only read
			var got [][]byte
			for n := range f.Blocks() {
				in, err := f.Unpack(n)
				if err != nil {
					t.Fatalf("%s: %v", when, err)
				}
				list, err := f.Entries(in, n)
				if err != nil {
					t.Fatalf("%s: %v", when, err)
				}
				for _, e := range list {
					m, err := f.Read(in, n, e, func(n int) []byte { return make([]byte, n) })
					if err != nil {
						t.Fatalf("%s: %v", when, err)
					}
					got = append(got, bytes.Clone(m))
				}
			}
			if len(got) != len(messages) {
				t.Fatalf("%s: %d of %d messages", when, len(got), len(messages))
			}
			for i, m := range messages {
				if !bytes.Equal(got[i], m) {
					t.Errorf("%s: message %d has %d bytes, want %d", when, i, len(got[i]), len(m))
				}
			}
		}
		read("while it is written")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		read("complete")
		if k := w.Kept(); k.Messages() != uint64(len(messages)) || k.Start != 1 || k.End != bagstore.Time(len(messages)) {
			t.Errorf("kept %+v", k)
		}
		o.Overwrite = true
		if w, err = Create(path, ProfileROS2, o); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); !errors.Is(err, bagstore.ErrGone) || len(w.Kept().Topics) > 0 {
			t.Errorf("a file that is gone: %v, kept %+v", err, w.Kept())
		}
	}
}
