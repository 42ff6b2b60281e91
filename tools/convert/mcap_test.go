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
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
	"rsros/tools/rewrite"
)

// entry is a message of an MCAP file.
type entry struct {
	mcap.Message
	topic string
}

// readMCAP reads a file with the library's reader. Only by the index there is an Info.
func readMCAP(t *testing.T, path string, indexed bool) (info *mcap.Info, list []entry) {
	t.Helper()
	f, err := os.Open(path)
	need.Must(t, err)
	defer f.Close()
	r, err := mcap.NewReader(f)
	need.Must(t, err)
	defer r.Close()
	if indexed {
		info, err = r.Info()
		need.Must(t, err)
	}
	it, err := r.Messages(mcap.UsingIndex(indexed))
	need.Must(t, err)
	for {
		schema, c, m, err := it.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return info, list
		}
		need.Must(t, err)
		if schema.Name == "" || schema.Encoding == "" {
			t.Fatalf("schema %+v", schema)
		}
		one := entry{*m, c.Topic}
		one.Data = bytes.Clone(m.Data)
		list = append(list, one)
	}
}

// TestToMCAP reads every message in order, with its schema, with the library's indexed reader, and checks each length,
// offset, count and checksum with an independent one.
func TestToMCAP(t *testing.T) {
	python := need.Python(t)
	need.Programs(t, "lz4", "zstd")
	specified := func(path string) (string, error) {
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
		_, want := samplebag.Messages(t, bag)
		for flag, compression := range map[bagstore.Compression]string{bagstore.LZ4: "lz4", bagstore.Zstd: "zstd", bagstore.None: ""} {
			out := filepath.Join(filepath.Dir(bag), "out-"+string(flag)+".mcap")
			run(t, Options{In: bag, Out: out, Bag: bagstore.Options{Compression: flag}})
			info, list := readMCAP(t, out, true)
			var got []string
			lines := ""
			for _, m := range list {
				got = append(got, fmt.Sprintf("%d %s %q", m.LogTime, m.topic, m.Data))
				lines += fmt.Sprintln(m.LogTime, stockbag.Sum(m.Data), m.topic)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d messages, want the %d of the bag in their order", out, len(got), len(want))
			}
			if text, err := specified(out); err != nil || text != lines {
				t.Fatalf("%s holds other messages than the library reads, or in another order: %v", out, err)
			}
			if info.Header.Profile != "ros1" || int(info.Statistics.MessageCount) != len(want) || len(info.ChunkIndexes) == 0 || string(info.ChunkIndexes[0].Compression) != compression {
				t.Errorf("%s: %+v %+v", out, info.Header, info.Statistics)
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
			raw, err := os.ReadFile(out)
			need.Must(t, err)
			raw[len(raw)/3] ^= 1
			if _, err := specified(samplebag.File(t, "bad.mcap", raw)); err == nil {
				t.Error("a spoilt byte goes unnoticed")
			}
		}
	}
	bag := samplebag.Walk(t, "walk.bag")
	out := filepath.Join(filepath.Dir(bag), "out.mcap")
	run(t, Options{In: bag, Out: out, Choose: func([]*bagstore.Recording) (rewrite.Options, error) {
		return rewrite.Options{Filter: bagstore.Filter{Topics: []string{"/map"}}}, nil
	}})
	if info, got := readMCAP(t, out, true); len(got) != 1 || info.Channels[1].Metadata["latching"] != "1" || info.Channels[1].Metadata["callerid"] != "/walker" {
		t.Errorf("%d messages, %+v", len(got), info.Channels[1])
	}
	if _, err := Messages(t.Context(), Options{In: bag, Out: out}); !errors.Is(err, fs.ErrExist) {
		t.Error("the file that exists was replaced:", err)
	}
}
