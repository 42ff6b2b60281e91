package upload

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/test/need"
)

func begun(t *testing.T, o Options, dir string) *Queue {
	t.Helper()
	o.To = "queue://bucket/robot"
	q, err := Start(o, zerolog.New(zerolog.NewTestWriter(t)), dir)
	need.Must(t, err)
	return q
}

func write(t *testing.T, path, text string) {
	t.Helper()
	need.Must(t, os.WriteFile(path, []byte(text), 0o600))
}

func (q *Queue) record(t *testing.T, path, text string) {
	t.Helper()
	write(t, path, text)
	q.Begin(path)
	q.Finish(path)
}

// wantLeft checks how many files a folder has, without the lock.
func wantLeft(t *testing.T, dir string, want int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	need.Must(t, err)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.Name() == lockName })
	if len(entries) != want {
		t.Errorf("%d files are left, want %d: %v", len(entries), want, entries)
	}
}

// TestQueue checks that finished files are uploaded and removed, or kept, and that the file being
// written waits.
func TestQueue(t *testing.T) {
	for _, keep := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s, dir := newStore(), t.TempDir()
			q := begun(t, Options{Keep: keep, Wait: time.Minute}, dir)
			a, b, c := filepath.Join(dir, "a.bag"), filepath.Join(dir, "b.bag"), filepath.Join(dir, "c.bag")
			q.record(t, a, "one")
			q.record(t, b, "two")
			write(t, c, "three")
			q.Begin(c)
			time.Sleep(time.Hour)
			if q.Safe(c) || !q.Safe(a) || q.Status() != (Status{Uploaded: 2}) {
				t.Errorf("%+v", q.Status())
			}
			want := map[string]string{"queue://bucket/robot/a.bag": "one", "queue://bucket/robot/b.bag": "two"}
			s.want(t, want)
			q.Finish(c)
			q.Close()
			want["queue://bucket/robot/c.bag"] = "three"
			s.want(t, want)
			wantLeft(t, dir, map[bool]int{true: 3}[keep])
		})
	}
}

// TestFolderOfTwoNames checks that a folder with two names counts once, and that a file written through
// a link is recognized.
func TestFolderOfTwoNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		link := filepath.Join(t.TempDir(), "link")
		if !need.Symlink(t, dir, link) {
			return
		}
		q, err := Start(Options{To: "queue://bucket/robot", Wait: time.Minute}, zerolog.Nop(), dir, link, dir+"/.")
		need.Must(t, err)
		path := filepath.Join(link, "a.bag")
		write(t, path, "one")
		q.Begin(path)
		time.Sleep(time.Hour)
		if st := q.Status(); st.Waiting != 0 || len(q.folders) != 1 {
			t.Errorf("%+v of %d folders", st, len(q.folders))
		}
		q.Finish(path)
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/a.bag": "one"})
	})
}

// TestSlowDisk checks that what the recorder asks every second doesn't wait for the disk.
func TestSlowDisk(t *testing.T) {
	newStore()
	q := begun(t, Options{Limit: 1}, t.TempDir())
	defer q.Close()
	q.disk.Lock() // as while a state is synced
	defer q.disk.Unlock()
	if q.Full() || !q.Safe("a.bag") || q.Status().Waiting != 0 {
		t.Errorf("%+v", q.Status())
	}
	q.Report(new(msgs.DiagnosticStatus))
}

type denying struct{ *store }

func (denying) Probe(context.Context, string) error { return fs.ErrPermission }

// TestDenied checks that a missing permission is reported before there is a file.
func TestDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place.Register("queue", denying{newStore()})
		q := begun(t, Options{}, t.TempDir())
		defer q.Close()
		synctest.Wait()
		if st := q.Status(); !errors.Is(st.Err, fs.ErrPermission) {
			t.Errorf("%+v", st)
		}
	})
}

// TestOutage checks that two days without a network lose nothing, try the store rarely, and are logged.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		down, tries := errors.New("the network is down"), 0
		s.onPut(func(string, place.PutOptions) error { tries++; return down })
		q := begun(t, Options{Limit: 5}, dir)
		a, b := filepath.Join(dir, "a.bag"), filepath.Join(dir, "b.bag")
		q.record(t, a, "one")
		if q.Full() {
			t.Error("full with 3 of 5 bytes")
		}
		q.record(t, b, "two")
		time.Sleep(48 * time.Hour)
		if st := q.Status(); !q.Full() || st.Waiting != 2 || st.Bytes != 6 || !errors.Is(st.Err, down) || q.Safe(a) || q.Safe(b) {
			t.Errorf("%+v", st)
		}
		if tries < 48*12 || tries > 48*30 {
			t.Errorf("%d attempts in two days", tries)
		}
		q.Close() // doesn't wait
		wantLeft(t, dir, 4)
		s.onPut(nil)
		q = begun(t, Options{Wait: time.Minute}, dir)
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/a.bag": "one", "queue://bucket/robot/b.bag": "two"})
		wantLeft(t, dir, 0)
	})
}

// TestResume checks that the state of an upload is passed to the store again.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		killed := errors.New("killed")
		s.onPut(func(_ string, o place.PutOptions) error { return errors.Join(o.Save([]byte("half")), killed) })
		q := begun(t, Options{}, dir)
		q.record(t, filepath.Join(dir, "a.bag"), "one")
		time.Sleep(time.Second / 10)
		q.Close()
		var got []byte
		s.onPut(func(_ string, o place.PutOptions) error { got = o.Resume; return nil })
		q = begun(t, Options{Wait: time.Minute}, dir)
		q.Close()
		if string(got) != "half" {
			t.Errorf("resumed from %q", got)
		}
	})
}

// TestKilledBetween checks that after a kill between the upload and the state, nothing is uploaded
// again, and another recording of the name stays.
func TestKilledBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		s.objects["queue://bucket/robot/a.bag"], s.objects["queue://bucket/robot/b.bag"] = "one", "of yesterday"
		var log bytes.Buffer
		q, err := Start(Options{To: "queue://bucket/robot", Wait: time.Minute}, zerolog.New(&log), dir)
		need.Must(t, err)
		q.record(t, filepath.Join(dir, "a.bag"), "one")
		path := filepath.Join(dir, "b.bag")
		write(t, path, "two")
		at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
		need.Must(t, os.Chtimes(path, at, at))
		q.Begin(path)
		q.Finish(path)
		time.Sleep(time.Second)
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/a.bag": "one", "queue://bucket/robot/b.bag": "of yesterday",
			"queue://bucket/robot/b-20261123-120000.000.bag": "two"})
		wantLeft(t, dir, 0)
		if n := s.puts["queue://bucket/robot/a.bag"]; n != 0 {
			t.Errorf("%d uploads of what is there", n)
		}
		if !strings.Contains(log.String(), "was taken") || strings.Contains(log.String(), "failed") {
			t.Errorf("logged: %s", &log)
		}
	})
}

// TestChanged checks that a file that changes during its upload is uploaded again before it is removed.
func TestChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		path := filepath.Join(dir, "a.bag")
		var once sync.Once
		s.onPut(func(string, place.PutOptions) error {
			once.Do(func() { write(t, path, "longer") })
			return nil
		})
		q := begun(t, Options{Wait: time.Minute}, dir)
		q.record(t, path, "one")
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/a.bag": "longer"})
		wantLeft(t, dir, 0)
	})
}

// TestTail checks that a bag and the tail file of its killed recorder stay together.
func TestTail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		path := filepath.Join(dir, "a[1].bag")
		write(t, path+".tail-0123", "the last messages")
		q := begun(t, Options{Wait: time.Minute}, dir)
		q.record(t, path, "one")
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/a[1].bag": "one"})
		wantLeft(t, dir, 2)
	})
}

// TestTwoPrograms checks that of two programs with one folder, one uploads each file.
func TestTwoPrograms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		p, q := begun(t, Options{Wait: time.Minute}, dir), begun(t, Options{Wait: time.Minute}, dir)
		p.record(t, filepath.Join(dir, "a.bag"), "one")
		q.record(t, filepath.Join(dir, "b.bag"), "two")
		p.Close()
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/a.bag": "one", "queue://bucket/robot/b.bag": "two"})
		if s.puts["queue://bucket/robot/a.bag"] != 1 || s.puts["queue://bucket/robot/b.bag"] != 1 {
			t.Errorf("uploads: %v", s.puts)
		}
	})
}

// TestUnfinished checks that a file of a running program waits, and that one of a killed program is
// uploaded under its active name. An older file that it would have replaced stays.
func TestUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		path := filepath.Join(dir, "a.bag")
		write(t, path, "older")
		w, err := rosbag.Create(path+activeSuffix, bagstore.Options{Checkpoint: -1})
		need.Must(t, err)
		killed := begun(t, Options{}, dir)
		killed.Begin(path)
		killed.Close()
		q := begun(t, Options{Wait: time.Minute}, dir)
		time.Sleep(time.Hour)
		s.want(t, nil)
		need.Must(t, w.Close())
		bag, err := os.ReadFile(path + activeSuffix)
		need.Must(t, err)
		time.Sleep(2 * lookEvery)
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/a.bag.active": string(bag)})
		wantLeft(t, dir, 1)
	})
}

// TestHostileStates checks that an invalid state uploads and removes nothing, and delays no other file.
func TestHostileStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		for name, state := range map[string]string{"a": "{", "b": `{"to":"/etc/cron.d/x"}`, "c": `{"to":"gopher://host/x"}`, "d": `{"to":` + strings.Repeat(" ", 1<<20)} {
			write(t, filepath.Join(dir, name), name)
			write(t, filepath.Join(dir, name+suffix), state)
		}
		q := begun(t, Options{}, dir)
		q.record(t, filepath.Join(dir, "z.bag"), "one")
		time.Sleep(time.Hour)
		if st := q.Status(); st.Err == nil || st.Waiting != 4 {
			t.Errorf("%+v", st)
		}
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/z.bag": "one"})
		wantLeft(t, dir, 8)
	})
}

// TestFullDisk checks that a file whose state can't be written is queued once it can be, and isn't
// removed before.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		path := filepath.Join(dir, "a.bag")
		full := path + suffix + place.Suffix
		need.Must(t, os.Mkdir(full, 0o700))
		q := begun(t, Options{Wait: time.Minute}, dir)
		q.record(t, path, "one")
		time.Sleep(time.Hour)
		if q.Safe(path) || q.Status().Waiting != 1 {
			t.Errorf("%+v", q.Status())
		}
		need.Must(t, os.Remove(full))
		q.Close()
		s.want(t, map[string]string{"queue://bucket/robot/a.bag": "one"})
	})
}

// TestReplaced checks that a file that replaced ours isn't uploaded.
func TestReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := newStore(), t.TempDir()
		q := begun(t, Options{Wait: time.Minute}, dir)
		path := filepath.Join(dir, "a.bag")
		write(t, path, "ours")
		q.Begin(path)
		write(t, path, "theirs")
		q.Drop(path)
		time.Sleep(time.Hour)
		q.Close()
		s.want(t, nil)
		wantLeft(t, dir, 1)
	})
}

func TestOptions(t *testing.T) {
	if q, err := Start(Options{}, zerolog.Nop()); q != nil || err != nil || q.Full() || !q.Safe("x") {
		t.Error(q, err)
	}
	if _, err := Start(Options{To: "/mnt/archive"}, zerolog.Nop()); err == nil {
		t.Error("uploads to a path")
	}
	if _, err := Start(Options{To: "gopher://host"}, zerolog.Nop()); !errors.Is(err, place.ErrScheme) {
		t.Error(err)
	}
	if err := OnlyPaths("s3://bucket/walk.bag"); err == nil {
		t.Error("records into an address")
	}
}
