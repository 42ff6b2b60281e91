package export

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/tools/bagset"
)

// files returns the paths of what is below a folder, in order.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	need.Must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil {
			path, err = filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(path))
		}
		return err
	}))
	return list
}

// TestReplaceExport checks that --overwrite leaves no file of the export that was in the folder, and none of an interrupted one, but the
// files of others; that a folder of something else is refused as it is; and that the summary counts what was written.
func TestReplaceExport(t *testing.T) {
	old, bag := samplebag.SDK(t, "sw_small_lz4.bag", "sdk.bag"), camera(t)
	topics := bagset.Selection{Exclude: []string{"/cloud", "/name"}}
	fresh := filepath.Join(t.TempDir(), "fresh")
	want(t, whole, Options{Bag: bag, Dir: fresh, Selection: topics})
	exported := files(t, fresh)
	first := Options{Bag: old, Selection: bagset.Selection{End: "0.3"}, Log: zerolog.Nop()}
	cut := func(dir string) error { // as a kill leaves it
		text, err := os.ReadFile(filepath.Join(dir, manifestName))
		end := bytes.Index(text, []byte("\n],"))
		need.Must(t, errors.Join(err, os.Remove(filepath.Join(dir, manifestName))))
		for _, name := range readLists(t, text) {
			if strings.HasSuffix(name, ".csv") {
				need.Must(t, os.Remove(filepath.Join(dir, name)))
			}
		}
		image := filepath.Join(dir, "Color_0", "000000.png")
		need.Must(t, os.Rename(image, image+".partial"))
		return os.WriteFile(filepath.Join(dir, manifestName+".partial"), text[:end], 0o600)
	}
	add := func(name, text string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) }
	}
	interrupt := func(dir string) error {
		need.Must(t, add("notes.txt", "mine")(dir))
		ctx, cancel := context.WithCancel(t.Context())
		o := first
		o.Dir, o.Overwrite, o.Progress = dir, true, func(n, _ uint64) {
			if n > 20 {
				cancel()
				text, err := os.ReadFile(filepath.Join(dir, manifestName+".partial"))
				need.Must(t, err)
				for _, name := range files(t, dir) {
					if strings.HasSuffix(name, ".png") && !slices.Contains(readLists(t, text), name) {
						t.Errorf("a kill would leave %s unlisted", name)
					}
				}
			}
		}
		_, err := Run(ctx, o)
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		return nil
	}
	for name, c := range map[string]struct {
		harm func(dir string) error
		keep []string // beside the new export; nil: refused
	}{
		"complete":             {func(string) error { return nil }, []string{}},
		"with files of others": {add("notes.txt", "mine"), []string{"notes.txt"}},
		"killed":               {cut, []string{}},
		"interrupted":          {interrupt, []string{"notes.txt"}},
		"another's manifest":   {add(manifestName, `{"form":"tum","sequences":[]}`), nil},
		"of one line":          {add(manifestName, `{"bag":"x","files":[{"file":"Color_0/000000.png"}]}`), nil},
		"leads out":            {add(manifestName, "{\"bag\":\"x\",\n\"files\":[\n {\"file\":\"../outside\"}\n],\n"), nil},
		"no manifest":          {func(dir string) error { return os.Remove(filepath.Join(dir, manifestName)) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			outside := filepath.Join(filepath.Dir(dir), "outside")
			o := first
			o.Dir = dir
			want(t, whole, o)
			need.Must(t, errors.Join(c.harm(dir), os.WriteFile(outside, nil, 0o600)))
			before := files(t, dir)
			made, err := Run(t.Context(), Options{Bag: bag, Dir: dir, Selection: topics, Overwrite: true, Log: zerolog.Nop()})
			got := files(t, dir)
			if c.keep == nil {
				if err == nil || !slices.Equal(got, before) {
					t.Errorf("%v; the folder has %d files, had %d", err, len(got), len(before))
				}
			} else {
				all := slices.Sorted(slices.Values(append(slices.Clone(exported), c.keep...)))
				if slices.Sort(got); err != nil || !slices.Equal(got, all) {
					t.Errorf("%v\n%q, want\n%q", err, got, all)
				}
				if want := "wrote " + dir + ": 12 files, "; !strings.HasPrefix(made.String(), want) {
					t.Errorf("%q, want %q", made, want)
				}
			}
			if _, err := os.Stat(outside); err != nil {
				t.Error(err)
			}
		})
	}
}

func readLists(t *testing.T, text []byte) (names []string) {
	t.Helper()
	need.Must(t, eachListed(bytes.NewReader(text), func(name string) error { names = append(names, name); return nil }))
	return names
}

// FuzzListed checks that a manifest of others is read to its end or refused.
func FuzzListed(f *testing.F) {
	f.Add([]byte("{\"bag\":\"a\",\n\"files\":[\n {\"file\":\"a/0.png\"},\n {\"file\":\"b\"}\n],\n\"tables\":[\"a.csv\"]}\n"))
	f.Add([]byte("{\"bag\":\"a\",\n\"files\":[\n {\"file\":\"a/0.p"))
	f.Add([]byte(`{"form":"tum"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := 0
		_ = eachListed(bytes.NewReader(text), func(string) error { n++; return nil })
		if n > len(text) {
			t.Errorf("%d files in %d bytes", n, len(text))
		}
	})
}
