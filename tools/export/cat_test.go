package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
	"rsros/tools/bagset"
)

// TestGenpyPrintsTheSame compares the text of messages of all types in the example bags with Python's.
func TestGenpyPrintsTheSame(t *testing.T) {
	python := need.Python(t, "rosbag", "genpy")
	paths := []string{samplebag.Data(t, "sw_small_raw.bag"), samplebag.Data(t, "sw_small_lz4.bag")}
	for _, name := range []string{"public/d435_2018_v3.bag", "public/test_sample.bag", "processing/sim_424.bag"} {
		paths = append(paths, need.Bag(t, name))
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			out, err := exec.Command(python, "testdata/echo.py", path).Output()
			need.Must(t, err)
			var list [][2]string
			need.Must(t, json.Unmarshal(out, &list))
			want := map[string][]string{}
			for _, m := range list {
				want[m[0]] = append(want[m[0]], m[1])
			}
			compared := 0
			for topic, texts := range want {
				for i, got := range printed(t, path, topic, len(texts)) {
					if compared++; strings.TrimSuffix(got, "\n") != texts[i] {
						t.Fatalf("%s, message %d: got\n%s\ngenpy\n%s", topic, i, got, texts[i])
					}
				}
			}
			if compared < len(list) || len(list) == 0 {
				t.Errorf("%d of %d messages compared", compared, len(list))
			}
			t.Logf("%d messages", compared)
		})
	}
}

// printed returns cat's text of the first n small messages of a topic.
func printed(t *testing.T, path, topic string, n int) (texts []string) {
	t.Helper()
	v := samplebag.Open(t, path).View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == topic }})
	for m, err := range v.Messages() {
		if len(texts) == n || err != nil {
			break
		}
		if len(m.Data) > 5000 {
			continue
		}
		var out bytes.Buffer
		o := CatOptions{Out: &out, Log: zerolog.Nop()}
		c := newCatter(o, false)
		if err := c.message(m); err != nil || c.bad > 0 {
			t.Fatal(err)
		}
		need.Must(t, c.out.Flush())
		texts = append(texts, strings.TrimSuffix(out.String(), "---\n"))
	}
	return texts
}

// TestCatDamagedChunk checks that times from the start are the same if the first chunk can't be read, and that all of its
// messages are counted as lost.
func TestCatDamagedChunk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{ChunkSize: 500})
	stockbag.Strings{Topics: 1, Messages: 30, Size: func(int) int { return 10 }}.Feed(t, w.Writer)
	w.Done()
	cat := func(start string) (text string, err error) {
		var out bytes.Buffer
		err = Cat(t.Context(), CatOptions{Bags: []string{path}, Selection: bagset.Selection{Start: start}, Out: &out, Log: zerolog.Nop()})
		return out.String(), err
	}
	bag := samplebag.Open(t, path)
	start := fmt.Sprintf("%.9f", (bag.Blocks()[0].End + 1).Sub(bag.Start()).Seconds())
	want, err := cat(start)
	need.Must(t, err)
	samplebag.LoseChunk(t, path, 0)
	if got, err := cat(start); err != nil || got != want {
		t.Errorf("from %s s: %v, %q, want %q", start, err, got, want)
	}
	n := bag.Blocks()[0].Messages()
	if _, err := cat(""); n < 2 || !errors.Is(err, program.ErrIncomplete) || !strings.Contains(err.Error(), fmt.Sprintf("%d messages are damaged", n)) {
		t.Errorf("of %d lost messages: %v", n, err)
	}
}
