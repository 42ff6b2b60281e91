package rewrite

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rsros/test/need"
)

// folder writes files named after their content, and lists them.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		put(t, filepath.Join(dir, name), name)
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	need.Must(t, os.WriteFile(path, []byte(text), 0o666))
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	need.Must(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		need.Must(t, err)
		names = append(names, e.Name()+"="+string(text))
	}
	return names
}

func TestReplace(t *testing.T) {
	broken := errors.New("the disk is full")
	for what, c := range map[string]struct {
		before []string
		force  bool
		err    error // of writing
		fails  bool
		want   []string
	}{
		"in place":               {[]string{"a.bag"}, false, nil, false, []string{"a.bag=new", "a.orig.bag=a.bag"}},
		"an active one":          {[]string{"a.bag.active"}, false, nil, false, []string{"a.bag.active=new", "a.bag.orig.active=a.bag.active"}},
		"an original is there":   {[]string{"a.bag", "a.orig.bag"}, false, nil, true, []string{"a.bag=a.bag", "a.orig.bag=a.orig.bag"}},
		"an original, by force":  {[]string{"a.bag", "a.orig.bag"}, true, nil, false, []string{"a.bag=new", "a.orig.bag=a.bag"}},
		"an error":               {[]string{"a.bag"}, false, broken, true, []string{"a.bag=a.bag"}},
		"an error after writing": {[]string{"a.bag", "a.orig.bag"}, true, broken, true, []string{"a.bag=a.bag", "a.orig.bag=a.orig.bag"}},
	} {
		dir := folder(t, c.before...)
		path := filepath.Join(dir, c.before[0])
		original, err := Placement{Force: c.force}.Rewrite(t.Context(), path, func(out string) error {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
			if c.fails && c.err == nil {
				t.Errorf("%s: written, though it can't be placed", what)
			}
			put(t, out, "new")
			return c.err
		})
		if (err != nil) != c.fails || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %v", what, err)
		}
		if got := list(t, dir); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
		if text, readErr := os.ReadFile(original); err == nil && (readErr != nil || string(text) != c.before[0]) {
			t.Errorf("%s: the original at %s is %q, %v", what, original, text, readErr)
		}
	}
}

// TestReplaceFollowsLinks: a link goes on to name the file, which has a new version.
func TestReplaceFollowsLinks(t *testing.T) {
	dir, links := folder(t, "a.bag"), t.TempDir()
	link := filepath.Join(links, "link.bag")
	if !need.Symlink(t, filepath.Join(dir, "a.bag"), link) {
		return
	}
	original, err := Placement{}.Rewrite(t.Context(), link, func(out string) error {
		put(t, out, "new")
		return nil
	})
	need.Must(t, err)
	if got, want := list(t, dir), []string{"a.bag=new", "a.orig.bag=a.bag"}; !slices.Equal(got, want) || filepath.Base(original) != "a.orig.bag" {
		t.Errorf("%q, the original is %s, want %q", got, original, want)
	}
	if got, want := list(t, links), []string{"link.bag=new"}; !slices.Equal(got, want) {
		t.Errorf("beside the link: %q, want %q", got, want)
	}
}

func placeAt(t *testing.T, output string, several, force bool) Placement {
	t.Helper()
	p := Placement{Output: output, Force: force}
	need.Must(t, p.Resolve(several))
	return p
}

// TestResolve checks what -o of a command that takes several bags names.
func TestResolve(t *testing.T) {
	there := t.TempDir()
	for _, c := range []struct {
		output  string
		several bool
		want    string
	}{
		{"", false, "a/walk.bag"}, {"", true, "a/walk.bag"}, {"new.bag", false, "new.bag"}, {"-", false, "-"},
		{"new", false, "new"}, {"new/", false, "new/walk.bag"}, {"new", true, "new/walk.bag"}, {there, false, there + "/walk.bag"},
		{"s3://b/new", false, "s3://b/new"}, {"s3://b/new/", false, "s3://b/new/walk.bag"}, {"s3://b/new", true, "s3://b/new/walk.bag"},
	} {
		if got := placeAt(t, c.output, c.several, false).Name("a/walk.bag"); filepath.ToSlash(got) != filepath.ToSlash(c.want) {
			t.Errorf("%q, several %v: %s, want %s", c.output, c.several, got, c.want)
		}
	}
	if p := (Placement{Output: "-"}); p.Resolve(true) == nil {
		t.Error("several bags went to standard output")
	}
}

func TestReplaceElsewhere(t *testing.T) {
	dir := folder(t, "a.bag")
	path, other := filepath.Join(dir, "a.bag"), filepath.Join(t.TempDir(), "new", "folder")
	write := func(out string) error { return os.WriteFile(out, []byte("new"), 0o666) }
	for i, p := range []Placement{placeAt(t, other+"/", false, false), placeAt(t, other, true, false), placeAt(t, other, true, true)} {
		if original, err := p.Rewrite(t.Context(), path, write); (err != nil) != (i == 1) || err == nil && original != path {
			t.Errorf("%d: %s, %v", i, original, err)
		}
	}
	if got := list(t, other); !slices.Equal(got, []string{"a.bag=new"}) {
		t.Error(got)
	}
	// The bag's own folder, also by another name, would mean the bag itself.
	link := filepath.Join(t.TempDir(), "link")
	need.Must(t, os.Symlink(dir, link))
	for _, p := range []Placement{placeAt(t, dir, false, false), placeAt(t, link+"/", false, true), placeAt(t, path, false, true)} {
		if _, err := p.Rewrite(t.Context(), path, write); !errors.Is(err, ErrSameFile) {
			t.Error(err)
		}
	}
	if got := list(t, dir); !slices.Equal(got, []string{"a.bag=a.bag"}) {
		t.Error(got)
	}
}
