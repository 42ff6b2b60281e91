package anonymise

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseLine(t *testing.T) {
	for text, want := range map[string]line{
		`{"topic":"/a","stamp":1700000000123456789,"boxes":[{"x":1,"y":2,"w":3,"h":4.5}]}`:                     {"/a", 1700000000123456789, false, []box{{1, 2, 4, 6.5}}},
		`{"topic":"/a","stamp":"1700000000.000000007","boxes":[{"x1":1,"y1":2,"x2":3,"y2":4,"label":"face"}]}`: {"/a", 1700000000000000007, false, []box{{1, 2, 3, 4}}},
		`{"score":0.5,"topic":"/a","time":0,"boxes":[]}`:                                                       {"/a", 0, true, []box{}},
	} {
		if got, err := parseLine([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		``, `{`, `[]`, `null`, `{"topic":"/a","stamp":1}`, `{"topic":"/a","stamp":1,"boxes":null}`, `{"topic":"/a","boxes":[]}`, `{"stamp":1,"boxes":[]}`,
		`{"topic":"/a","stamp":1,"time":1,"boxes":[]}`, `{"topic":"/a","stamp":1.5,"boxes":[]}`, `{"topic":"/a","stamp":1e9,"boxes":[]}`, `{"topic":"/a","stamp":-1,"boxes":[]}`,
		`{"topic":"/a","stamp":"1.5","boxes":[]}`, `{"topic":"/a","stamp":"-1.000000000","boxes":[]}`, `{"topic":"/a","stamp":"1","boxes":[]}`,
		`{"topic":"/a","stamp":18446744073709551615,"boxes":[]}`, `{"topic":"/a","stamp":"9999999999.000000000","boxes":[]}`,
		`{"topic":"/a","stamp":1,"boxes":[[1,2,3,4]]}`, `{"topic":"/a","stamp":1,"boxes":[{"x":1,"y":2,"w":3}]}`, `{"topic":"/a","stamp":1,"boxes":[{"x":1,"y":2,"w":0,"h":4}]}`,
		`{"topic":"/a","stamp":1,"boxes":[{"x1":1,"y1":2,"x2":0,"y2":4}]}`, `{"topic":"/a","stamp":1,"boxes":[{"x":1e300,"y":2,"w":3,"h":4}]}`, `{"topic":"/a","stamp":1,"boxes":[{"x":1e999,"y":2,"w":3,"h":4}]}`,
		`{"topic":"/a","stamp":1,"boxes":[{"x":1,"y":2,"w":3,"h":4,"x1":1,"y1":2,"x2":3,"y2":4}]}`, `{"topic":"` + strings.Repeat("a", maxTopic+1) + `","stamp":1,"boxes":[]}`,
	} {
		if l, err := parseLine([]byte(text)); err == nil {
			t.Errorf("%.100s: %+v", text, l)
		}
	}
}

func boxesFile(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "boxes.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Lines are found in any order, by stamp and by time, also several of one image.
func TestIndex(t *testing.T) {
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf(`{"topic":"/%d","stamp":%d,"boxes":[{"x":%d,"y":0,"w":1,"h":1}]}`, i%3, 1000-i/3, i), "")
	}
	lines = append(lines, `{"topic":"/1","time":5,"boxes":[{"x":7000,"y":0,"w":1,"h":1}]}`, `{"topic":"/1","stamp":900,"boxes":[{"x":8000,"y":0,"w":1,"h":1}]}`+"\r")
	x, err := openIndex(t.Context(), boxesFile(t, lines...))
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	for _, c := range []struct {
		topic    string
		stamp, t int64
		want     []float64
	}{
		{"/1", 900, 1, []float64{301, 8000}}, {"/1", 900, 5, []float64{301, 8000, 7000}}, {"/1", 2, 5, []float64{7000}}, {"/0", 1000, 0, []float64{0}},
		{"/0", 5, 5, nil}, {"/2", 1001, 0, nil}, {"/3", 900, 0, nil},
	} {
		boxes, found, err := x.find(c.topic, c.stamp, c.t)
		var got []float64
		for _, b := range boxes {
			got = append(got, b.left)
		}
		if err != nil || found != (c.want != nil) || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %v, %v, %v", c, got, found, err)
		}
	}
	matched := 0
	for _, e := range x.entries {
		if e.matched {
			matched++
		}
	}
	if matched != 4 {
		t.Errorf("%d lines are marked, want 4", matched)
	}
}

// A bad line is an error with its number, and so is a file that changes.
func TestBadFile(t *testing.T) {
	good := `{"topic":"/a","stamp":1,"boxes":[]}`
	for text, want := range map[string]string{
		good + "\n\n{}": "line 3: ", good + "\n" + strings.Repeat("x", maxLine+1): "line 2: bufio.Scanner: token too long",
	} {
		if _, err := openIndex(t.Context(), boxesFile(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	path := boxesFile(t, good)
	x, err := openIndex(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	if err := os.WriteFile(path, []byte(strings.Replace(good, "1", "2", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.find("/a", 1, 0); err == nil || !strings.Contains(err.Error(), "the file was changed") {
		t.Errorf("a changed file: %v", err)
	}
}

func FuzzBoxes(f *testing.F) {
	f.Add([]byte(`{"topic":"/a","stamp":1,"boxes":[{"x":1,"y":2,"w":3,"h":4}]}`))
	f.Add([]byte(`{"topic":"/a","time":"1.000000000","boxes":[{"x1":1,"y1":2,"x2":3,"y2":4}]}` + "\n\n" + `{"topic":"/b","stamp":3,"boxes":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "boxes")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := openIndex(t.Context(), path)
		if err != nil {
			return
		}
		defer x.close()
		for _, e := range x.entries {
			boxes, found, err := x.find(x.names[e.topic], e.at, e.at)
			if err != nil || !found {
				t.Fatalf("line %d isn't found: %v", e.line, err)
			}
			for _, b := range boxes {
				if r, err := b.within(640, 480, 0.1); err == nil && (r.left < 0 || r.right > 640 || r.top < 0 || r.bottom > 480) {
					t.Fatalf("%v is %v", b, r)
				}
			}
		}
	})
}
