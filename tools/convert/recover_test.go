package convert

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/recording"
	"rsros/test/need"
)

// rawRows lists the stored messages of a recording in time order.
func rawRows(t *testing.T, path string) (list []string) {
	t.Helper()
	bag, topics, err := recording.OpenRaw(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	v := bag.View(bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	for n := v.Count(); n > 0; n-- {
		if it.Next() {
			m := it.Message()
			k := topics[m.Conn.ID]
			list = append(list, fmt.Sprintf("%d %s %s %q %x", m.Time, k.Name, k.Type, k.QoS, sha256.Sum256(m.Data)))
		}
	}
	return list
}

// TestRecover checks that all messages of a sound file are kept, and of a torn one those
// that its readers find. The input stays unchanged.
func TestRecover(t *testing.T) {
	mcap := filepath.Join(t.TempDir(), "rec.mcap")
	if _, err := Again(t.Context(), Options{In: need.Bag(t, "db3/sdk_rec_raw.db3"), Out: mcap + ".db3"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Messages(t.Context(), Options{In: mcap + ".db3", Out: mcap}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{need.Bag(t, "db3/sdk_rec_raw.db3"), need.Bag(t, "db3/sdk_rec_zstd.db3"), need.Bag(t, "db3/public/rosbag2_v4.db3"), mcap} {
		whole, err := os.ReadFile(name)
		need.Must(t, err)
		ext := filepath.Ext(name)
		for _, part := range []int{100, 70} {
			dir := t.TempDir()
			in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
			b := whole[:len(whole)*part/100]
			need.Must(t, os.WriteFile(in, b, 0o600))
			rep, err := Recover(t.Context(), in, out, bagstore.RecoverOptions{})
			if err != nil {
				if part == 100 || ext == extMCAP {
					t.Errorf("%s, %d %%: %v", name, part, err)
				}
				continue // the schema of a small database may be in what is missing
			}
			want := rawRows(t, in)
			if outcome := map[bool]bagstore.Outcome{true: bagstore.Sound, false: bagstore.Damaged}[part == 100]; rep.Outcome != outcome || rep.Kept != uint64(len(want)) {
				t.Errorf("%s, %d %%: %v, kept %d of %d: %v", name, part, rep.Outcome, rep.Kept, len(want), rep.Notes)
			}
			if got := rawRows(t, out); !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s, %d %%: %d messages, want %d", name, part, len(got), len(want))
			}
			if left, err := os.ReadFile(in); err != nil || string(left) != string(b) {
				t.Errorf("%s: the input changed, %v", name, err)
			}
			if ext == extDB3 {
				named := filepath.Join(dir, "named.db3")
				need.Must(t, os.Rename(out, named))
				again, err := recording.Open(named, bagstore.OpenOptions{})
				need.Must(t, err)
				if bad := slices.DeleteFunc(again.Notes(), func(n bagstore.Note) bool { return n.Kind == "topic" }); len(bad) > 0 {
					t.Errorf("%s: notes %v", name, bad)
				}
				again.Close()
				if broken, ok, err := rsdb3.Check(t.Context(), named); err != nil || ok && part == 100 && len(broken) > 0 {
					t.Errorf("%s breaks rules %v, %v", name, broken, err)
				}
			}
		}
	}
}

// TestRecoverRefuses checks that unsupported inputs and compressions fail before a file is made.
func TestRecoverRefuses(t *testing.T) {
	db, talker := need.Bag(t, "db3/sdk_rec_raw.db3"), need.Bag(t, "db3/public/rosbag2_talker.mcap")
	out := filepath.Join(t.TempDir(), "out")
	for what, c := range map[string]struct {
		in          string
		compression bagstore.Compression
	}{
		"without compression": {db, bagstore.LZ4}, "no bz2": {talker, bagstore.BZ2}, "folder": {t.TempDir(), ""},
		"neither a .db3 nor an MCAP": {need.Bag(t, "librealsense/sw_small_raw.bag"), ""},
	} {
		_, err := Again(t.Context(), Options{In: c.in, Out: out, Bag: bagstore.Options{Compression: c.compression}})
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there is a file", what)
		}
	}
}

func TestRecoveredName(t *testing.T) {
	for in, want := range map[string]string{
		"a/walk.bag": "a/walk.recovered.bag", "walk.bag.active": "walk.recovered.bag", "walk": "walk.recovered",
	} {
		if got := recoveredName(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
