package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
)

// job runs a command that copies recordings, or makes a folder of each.
type job struct {
	t       *testing.T
	in, out string
	options Options
	runs    atomic.Int64
	folder  bool
	before  func(ctx context.Context, in string) error // may be nil
}

func newJob(t *testing.T, in, out string) *job {
	j := &job{t: t, in: in, out: out}
	j.options = Options{Out: out, Command: []string{"copy"}, Jobs: 2, Output: func(name string) string { return name }, Do: j.do}
	return j
}

func (j *job) do(ctx context.Context, in, output string) Outcome {
	j.runs.Add(1)
	if j.before != nil {
		if err := j.before(ctx, in); err != nil {
			return Outcome{State: Failed, Err: err}
		}
	}
	text, err := os.ReadFile(in)
	if err == nil && j.folder {
		err = errors.Join(os.Mkdir(output, 0o777), os.WriteFile(filepath.Join(output, "text"), text, 0o666))
	} else if err == nil {
		err = os.WriteFile(output, text, 0o666)
	}
	if err != nil {
		return Outcome{State: Failed, Err: err}
	}
	return Outcome{State: Done, Result: []byte(`{"output":` + string(quoted(output)) + `}`)}
}

// run returns the state of each item, with a star if it was done before.
func (j *job) run(ctx context.Context) (map[string]string, error) {
	j.t.Helper()
	o := j.options
	var err error
	if o.Items, err = List(j.t.Context(), j.in, j.out); err != nil {
		j.t.Fatal(err)
	}
	if o.Output != nil {
		rejectDuplicates(o.Items, o.Output)
	}
	states := make(map[string]string)
	o.Report = func(r Result) error {
		states[r.Item] = string(r.State)
		if r.Before {
			states[r.Item] += "*"
		}
		if r.Error != "" {
			states[r.Item] += " " + r.Error
		}
		if r.State == Done && o.Output != nil && string(r.Result) != `{"output":`+string(quoted(place.Join(j.out, r.Output)))+`}` {
			j.t.Errorf("%s: result %s, output %s", r.Item, r.Result, r.Output)
		}
		return nil
	}
	return states, Run(ctx, o)
}

func (j *job) want(want map[string]string) {
	j.t.Helper()
	if got, err := j.run(j.t.Context()); err != nil || !maps.Equal(got, want) {
		j.t.Errorf("%q, %v; want %q", got, err, want)
	}
	if left, _ := os.ReadDir(filepath.Join(j.out, ownFolder, "work")); len(left) > 0 {
		j.t.Errorf("left behind: %v", left)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// TestSecondRun checks that a second run does only what is missing, has failed or has changed.
func TestSecondRun(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, "a.bag", "sub/b.bag", "c.bag")
	j := newJob(t, in, out)
	broken := errors.New("broken")
	j.before = func(_ context.Context, in string) error {
		if filepath.Base(in) == "c.bag" {
			return broken
		}
		return nil
	}
	j.want(map[string]string{"a.bag": "done", "sub/b.bag": "done", "c.bag": "failed broken"})
	j.before = nil
	j.want(map[string]string{"a.bag": "done*", "sub/b.bag": "done*", "c.bag": "done"})
	j.want(map[string]string{"a.bag": "done*", "sub/b.bag": "done*", "c.bag": "done*"})
	if err := errors.Join(os.WriteFile(filepath.Join(in, "a.bag"), []byte("changed"), 0o666), os.Remove(filepath.Join(out, "c.bag")),
		os.WriteFile(filepath.Join(out, ".batch/copy/sub/b.bag.json"), []byte("{torn"), 0o666), os.Remove(filepath.Join(out, "sub/b.bag"))); err != nil {
		t.Fatal(err)
	}
	j.want(map[string]string{"a.bag": "done", "sub/b.bag": "done", "c.bag": "done"})
	if n := j.runs.Load(); n != 7 {
		t.Errorf("the command ran %d times", n)
	}
	for name, text := range map[string]string{"a.bag": "changed", "sub/b.bag": "sub/b.bag", "c.bag": "c.bag"} {
		if got := content(t, filepath.Join(out, name)); got != text {
			t.Errorf("%s holds %q", name, got)
		}
	}
	j.options.Command = []string{"copy", "--other"}
	j.want(map[string]string{"a.bag": "done", "sub/b.bag": "done", "c.bag": "done"})
}

// TestMarkers checks that a marker counts only with the output that its own item has, as it was written.
func TestMarkers(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, "a.bag", "b.bag")
	j := newJob(t, in, out)
	j.want(map[string]string{"a.bag": "done", "b.bag": "done"})
	marker := filepath.Join(out, ".batch/copy/a.bag.json")
	whole := content(t, marker)
	for _, change := range []func() error{
		func() error { return os.Truncate(filepath.Join(out, "a.bag"), 1) },
		func() error {
			return os.WriteFile(marker, []byte(strings.Replace(whole, `"output":"a.bag"`, `"output":"../../../../etc/passwd"`, 1)), 0o666)
		},
		func() error {
			return os.WriteFile(marker, []byte(strings.Replace(whole, `"item":"a.bag"`, `"item":"b.bag"`, 1)), 0o666)
		},
	} {
		need.Must(t, change())
		j.want(map[string]string{"a.bag": "done", "b.bag": "done*"})
		if got := content(t, filepath.Join(out, "a.bag")); got != "a.bag" {
			t.Errorf("the output holds %q", got)
		}
	}
}

// TestStrangers checks that files that batch didn't write stay unless it may replace them.
func TestStrangers(t *testing.T) {
	for _, folder := range []bool{false, true} {
		in, out := t.TempDir(), t.TempDir()
		write(t, in, "a.bag")
		theirs := filepath.Join(out, "a.bag")
		if folder {
			theirs = filepath.Join(theirs, "theirs")
		}
		need.Must(t, errors.Join(os.MkdirAll(filepath.Dir(theirs), 0o777), os.WriteFile(theirs, []byte("theirs"), 0o666)))
		j := newJob(t, in, out)
		j.folder = folder
		refused := map[string]string{"a.bag": "failed " + filepath.Join(out, "a.bag") + " exists; --overwrite replaces it"}
		j.want(refused)
		j.want(refused)
		if content(t, theirs) != "theirs" {
			t.Error("it is gone")
		}
		j.options.Overwrite = true
		j.want(map[string]string{"a.bag": "done"})
		j.options.Overwrite = false
		need.Must(t, os.WriteFile(filepath.Join(in, "a.bag"), []byte("changed"), 0o666))
		j.want(map[string]string{"a.bag": "done"})
		if folder {
			theirs = filepath.Join(out, "a.bag", "text")
		}
		if content(t, theirs) != "changed" {
			t.Error("it isn't replaced")
		}
	}
}

// TestTwins checks that outputs never replace each other.
func TestTwins(t *testing.T) {
	in := t.TempDir()
	write(t, in, "a.bag", "a.db3", "b.mcap", "b/c.bag")
	j := newJob(t, in, t.TempDir())
	j.options.Output = func(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
	j.want(map[string]string{"a.bag": "done", "a.db3": "failed its output a would be that of a.bag", "b.mcap": "done",
		"b/c.bag": "failed its output would be inside b, that of b.mcap"})
}

// TestChangedMeanwhile checks that output from two versions of a recording isn't kept.
func TestChangedMeanwhile(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, "a.bag")
	j := newJob(t, in, out)
	j.before = func(_ context.Context, in string) error { return os.WriteFile(in, []byte("longer than before"), 0o666) }
	j.want(map[string]string{"a.bag": "failed the object was replaced while it was read"})
	if _, err := os.Stat(filepath.Join(out, "a.bag")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	j.before = nil
	j.want(map[string]string{"a.bag": "done"})
}

// TestInterrupted checks that an interrupted item has neither output nor marker.
func TestInterrupted(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, "a.bag", "b.bag", "c.bag")
	j := newJob(t, in, out)
	j.options.Jobs = 1
	ctx, cancel := context.WithCancel(t.Context())
	j.before = func(ctx context.Context, in string) error {
		if filepath.Base(in) == "b.bag" {
			cancel()
		}
		return ctx.Err()
	}
	got, err := j.run(ctx)
	if want := map[string]string{"a.bag": "done", "b.bag": "interrupted"}; !errors.Is(err, context.Canceled) || !maps.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	var files []string
	err = filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ = filepath.Rel(out, name)
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	if want := []string{".batch/copy/a.bag.json", "a.bag"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("%q, %v", files, err)
	}
	j.before = nil
	j.want(map[string]string{"a.bag": "done*", "b.bag": "done", "c.bag": "done"})
}

// TestOtherRun checks that a run whose item another one has claimed waits for that one's result, and that the
// result counts only if it is that of the same work.
func TestOtherRun(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, "a.bag")
	name := filepath.Join(out, ownFolder, "copy", "a.bag.json")
	j := newJob(t, in, out)
	item, err := List(t.Context(), in, out)
	need.Must(t, err)
	for _, c := range []struct{ command, want string }{{"other", "failed " + errTaken.Error()}, {"copy", "done*"}} {
		var other sync.WaitGroup
		j.before = func(ctx context.Context, _ string) error {
			m := marker{name: name}
			res := Result{Item: "a.bag", State: placing, Command: []string{c.command}, Input: item[0].Version, Owned: "a.bag"}
			if err := errors.Join(m.read(ctx), m.put(ctx, res)); err != nil {
				return err
			}
			other.Go(func() {
				res.State, res.Output, res.Result = Done, "a.bag", []byte(`{"output":`+string(quoted(filepath.Join(out, "a.bag")))+`}`)
				if err := m.put(ctx, res); err != nil {
					t.Error(err)
				}
			})
			return nil
		}
		j.want(map[string]string{"a.bag": c.want})
		other.Wait()
	}
}

// TestAtTheSameInstant checks that two runs of the same items end with whole outputs, one marker each
// and no failure.
func TestAtTheSameInstant(t *testing.T) {
	for _, folder := range []bool{false, true} {
		out := t.TempDir()
		atTheSameInstant(t, folder, out, out)
	}
}

// TestAtTheSameInstantInBucket checks that the store decides which of two markers is written.
func TestAtTheSameInstantInBucket(t *testing.T) {
	b := bucket.Start(t)
	for i, folder := range []bool{false, true, false, true} {
		key := fmt.Sprint("out", i)
		atTheSameInstant(t, folder, b.Address(key), filepath.Join(b.Folder, key))
	}
}

// TestAppearedMeanwhile checks that an output that somebody else made after an item was claimed stays.
func TestAppearedMeanwhile(t *testing.T) {
	for _, kind := range []string{"file", "folder"} {
		for _, replace := range []bool{false, true} {
			dir := t.TempDir()
			name := func(s string) string { return filepath.Join(dir, s) }
			ours, theirs := name("ours"), name("theirs")
			if kind == "folder" {
				need.Must(t, errors.Join(os.Mkdir(ours, 0o777), os.Mkdir(theirs, 0o777)))
				ours, theirs = filepath.Join(ours, "text"), filepath.Join(theirs, "text")
			}
			need.Must(t, errors.Join(os.WriteFile(ours, []byte("ours"), 0o666), os.WriteFile(theirs, []byte("theirs"), 0o666)))
			err := putOutput(t.Context(), name("ours"), name("theirs"), replace)
			if want := map[bool]string{false: "theirs", true: "ours"}[replace]; errors.Is(err, fs.ErrExist) == replace || content(t, theirs) != want {
				t.Errorf("%s, replace %v: %q, %v", kind, replace, content(t, theirs), err)
			}
		}
	}
}

// atTheSameInstant starts two runs into out; seen has its files.
func atTheSameInstant(t *testing.T, folder bool, out, seen string) {
	t.Helper()
	in := t.TempDir()
	names := []string{"a.bag", "b.bag", "sub/c.bag", "sub/d.bag"}
	write(t, in, names...)
	var together, both sync.WaitGroup
	together.Add(2)
	for range 2 {
		both.Go(func() {
			j := newJob(t, in, out)
			j.folder, j.options.Jobs = folder, 4
			wait := sync.OnceFunc(func() { together.Done(); together.Wait() })
			j.before = func(context.Context, string) error { wait(); return nil }
			got, err := j.run(t.Context())
			for name, state := range got {
				if strings.TrimSuffix(state, "*") != "done" {
					t.Errorf("%s: %s", name, state)
				}
			}
			if err != nil || len(got) != 4 {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	both.Wait()
	files := map[string]bool{}
	for _, name := range names {
		path := name
		if folder {
			path = filepath.Join(path, "text")
		}
		files[path], files[filepath.Join(ownFolder, "copy", name+".json")] = true, true
		if got := content(t, filepath.Join(seen, path)); got != name {
			t.Errorf("%s holds %q", name, got)
		}
	}
	for info, err := range place.List(t.Context(), seen+"/") {
		need.Must(t, err)
		if name, _ := below(seen, info.Name); !files[filepath.FromSlash(name)] {
			t.Errorf("%s is left behind", name)
		}
	}
	j := newJob(t, in, out)
	j.folder = folder
	j.want(map[string]string{"a.bag": "done*", "b.bag": "done*", "sub/c.bag": "done*", "sub/d.bag": "done*"})
}

// TestAbandonedWork checks that what a killed run left is removed, and what a running one writes is
// not.
func TestAbandonedWork(t *testing.T) {
	out := t.TempDir()
	running, err := newWorkFolder(out)
	need.Must(t, err)
	killed, err := newWorkFolder(out)
	need.Must(t, err)
	write(t, killed.path, "1/a.bag")
	need.Must(t, killed.lock.Close())
	next, err := newWorkFolder(out)
	need.Must(t, err)
	if _, err := os.Stat(killed.path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(running.path); err != nil {
		t.Error(err)
	}
	if err := errors.Join(running.close(), next.close()); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Join(out, ownFolder, "work")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestFiles checks that the command's input files count by content, and mustn't change during a run.
func TestFiles(t *testing.T) {
	in, file := t.TempDir(), filepath.Join(t.TempDir(), "rules")
	write(t, in, "a.bag")
	change := func(text string) error { return os.WriteFile(file, []byte(text), 0o666) }
	need.Must(t, change("one"))
	j := newJob(t, in, t.TempDir())
	j.options.Files = []string{file}
	j.want(map[string]string{"a.bag": "done"})
	j.want(map[string]string{"a.bag": "done*"})
	need.Must(t, change("two"))
	j.before = func(context.Context, string) error { return change("three") }
	j.want(map[string]string{"a.bag": "failed " + file + " changed since batch began"})
	j.before = nil
	j.want(map[string]string{"a.bag": "done"})
	need.Must(t, os.Remove(file))
	if _, err := j.run(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
