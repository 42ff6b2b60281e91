package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
	"rsros/tools/rewrite"
)

// TestMCAPBySpecification checks every message, length, offset, count and checksum
// with an independent reader.
func TestMCAPBySpecification(t *testing.T) {
	python := need.Python(t)
	need.Programs(t, "lz4")
	check := func(path string) (string, error) {
		var out, log bytes.Buffer
		cmd := exec.Command(python, "testdata/check_mcap.py", path)
		cmd.Stdout, cmd.Stderr = &out, &log
		err := cmd.Run()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, &log)
		}
		return out.String(), err
	}
	for _, bag := range []string{samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag"), samplebag.Walk(t, "walk.bag")} {
		for _, flag := range []bagstore.Compression{bagstore.LZ4, bagstore.None} {
			out := filepath.Join(filepath.Dir(bag), "out-"+string(flag)+".mcap")
			run(t, Options{In: bag, Out: out, Bag: bagstore.Options{Compression: flag}})
			got, err := check(out)
			if err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			if got != messageLines(t, bag) {
				t.Errorf("%s holds other messages than the bag, or in another order", out)
			}
			raw, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			raw[len(raw)/3] ^= 1
			if _, err := check(samplebag.File(t, "bad.mcap", raw)); err == nil {
				t.Error("a spoilt byte goes unnoticed")
			}
		}
	}
}

// messageLines prints a bag's messages as check_mcap.py does.
func messageLines(t *testing.T, path string) string {
	t.Helper()
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	v := b.View(bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	var lines strings.Builder
	for it.Next() {
		m := it.Message()
		fmt.Fprintln(&lines, int64(m.Time), stockbag.Sum(m.Data), m.Conn.Topic)
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	return lines.String()
}

// TestToMCAP reads every message in order, with its schema, with the library's
// indexed reader.
func TestToMCAP(t *testing.T) {
	for flag, compression := range map[bagstore.Compression]string{bagstore.LZ4: "lz4", bagstore.None: ""} {
		bag := samplebag.SDK(t, "sw_small_raw.bag", "sdk.bag")
		out := filepath.Join(filepath.Dir(bag), "out.mcap")
		run(t, Options{In: bag, Out: out, Bag: bagstore.Options{Compression: flag}})
		info, got := readMCAP(t, out)
		_, want := samplebag.Messages(t, bag)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d messages, want the %d of the bag in their order", flag, len(got), len(want))
		}
		if info.Header.Profile != "ros1" || info.Statistics.MessageCount != 8038 || len(info.ChunkIndexes) == 0 || string(info.ChunkIndexes[0].Compression) != compression {
			t.Errorf("%s: %+v %+v", flag, info.Header, info.Statistics)
		}
		for _, c := range info.Channels {
			s := info.Schemas[c.SchemaID]
			if c.MessageEncoding != "ros1" || s == nil || s.Encoding != "ros1msg" {
				t.Fatalf("%+v %+v", c, s)
			}
			if spec, err := msgs.Parse(s.Name, string(s.Data)); err != nil || spec.MD5() != c.Metadata["md5sum"] {
				t.Errorf("%s: the schema doesn't give the md5 of the channel: %v", c.Topic, err)
			}
		}
	}
	bag := samplebag.Walk(t, "walk.bag")
	out := filepath.Join(filepath.Dir(bag), "out.mcap")
	run(t, Options{In: bag, Out: out, Choose: func([]*bagstore.Recording) (rewrite.Options, error) {
		return rewrite.Options{Filter: bagstore.Filter{Topics: []string{"/map"}}}, nil
	}})
	if info, got := readMCAP(t, out); len(got) != 1 || info.Channels[1].Metadata["latching"] != "1" || info.Channels[1].Metadata["callerid"] != "/walker" {
		t.Errorf("%q %+v", got, info.Channels[1])
	}
	if _, err := Messages(t.Context(), Options{In: bag, Out: out}); !errors.Is(err, fs.ErrExist) {
		t.Error("the file that exists was replaced:", err)
	}
}

func readMCAP(t *testing.T, path string) (*mcap.Info, []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := mcap.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info, err := r.Info()
	if err != nil {
		t.Fatal(err)
	}
	it, err := r.Messages(mcap.UsingIndex(true))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for {
		_, c, m, err := it.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return info, list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%d %s %q", m.LogTime, c.Topic, m.Data))
	}
}
