package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// TestExportMCAPBySpecification: a reader that shares nothing with the library that
// wrote the file finds every message, and no length, offset, count or checksum wrong.
func TestExportMCAPBySpecification(t *testing.T) {
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
	for _, bag := range []string{sdkBag(t, "sw_small_raw.bag", "sdk.bag"), walkBag(t, "walk.bag")} {
		for _, flag := range []string{"-f", "--uncompressed"} {
			out := filepath.Join(filepath.Dir(bag), "out"+flag+".mcap")
			want(t, exitOK, "export", bag, "--mcap", out, flag)
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
			if _, err := check(writeFile(t, "bad.mcap", raw)); err == nil {
				t.Error("a spoilt byte goes unnoticed")
			}
		}
	}
}

// messageLines prints a bag's messages as check_mcap.py does.
func messageLines(t *testing.T, path string) string {
	t.Helper()
	b, err := bagstore.Open(path, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	v, err := bagstore.NewView([]*bagstore.Bag{b}, bagstore.Query{})
	if err != nil {
		t.Fatal(err)
	}
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
