package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/peer"
)

const smallBag = "../data/librealsense/sw_small_lz4.bag"

// piped runs the program with an input, and returns its output.
func piped(t *testing.T, in []byte, code int, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), peer.Program(t), args...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &stderr
	out, _ := cmd.Output() // its exit code tells
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("%q: exit code %d, want %d: %s", args, got, code, &stderr)
	}
	return out
}

// TestStreams: - is standard input and standard output, for bags and for other formats.
func TestStreams(t *testing.T) {
	bag, err := os.ReadFile(smallBag)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cut := filepath.Join(dir, "cut.bag")
	peer.Run(t, nil, peer.Program(t), "filter", smallBag, cut, "--end", "1")
	want, err := os.ReadFile(cut)
	if err != nil {
		t.Fatal(err)
	}
	if got := piped(t, bag, 0, "filter", "-", "-", "--end", "1"); !bytes.Equal(got, want) {
		t.Errorf("filter wrote %d bytes, and %d into a file", len(got), len(want))
	}
	if got := piped(t, nil, 0, "merge", "-o", "-", cut); len(got) == 0 {
		t.Error("merge wrote nothing")
	}
	torn := piped(t, bag[:100_000], 3, "recover", "-", "-o", "-")
	piped(t, torn, 0, "check", "-")
	piped(t, bag, 1, "recover", "-")
	piped(t, bag, 2, "filter", "-", "-", "True", "--print", "topic")
	for _, ext := range []string{".mcap", ".db3"} {
		other := filepath.Join(dir, "other"+ext)
		peer.Run(t, nil, peer.Program(t), "convert", smallBag, other)
		b, err := os.ReadFile(other)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"info", "check", "cat"} {
			piped(t, b, 0, command, "-")
		}
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), peer.Program(t), "info", "-")
	if cmd.Stdin, err = os.Open("/dev/zero"); err != nil { // a device, as a terminal is
		t.Fatal(err)
	}
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "standard input") {
		t.Errorf("a device as input: %v: %s", err, &stderr)
	}
}

// TestCacheFolder: what a program has fetched, the next one has on disk.
func TestCacheFolder(t *testing.T) {
	b := bucket.Start(t)
	address, cache := b.Put("walk.bag", smallBag), filepath.Join(t.TempDir(), "cache")
	var first place.Traffic
	for n := range 2 {
		var got struct{ Traffic place.Traffic }
		if err := json.Unmarshal(piped(t, nil, 0, "check", "--json", "--cache", cache, "--cache-size", "1G", address), &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case n == 0:
			first = got.Traffic
		case got.Traffic.Fetched > 0 || got.Traffic.Requests >= first.Requests || got.Traffic.Kept < first.Fetched:
			t.Errorf("first %+v, then %+v", first, got.Traffic)
		}
	}
	piped(t, nil, 2, "info", "--cache-size", "1G", smallBag)
	piped(t, nil, 2, "info", "--cache", cache, "--cache-size", "0", smallBag)
	piped(t, nil, 1, "info", "--cache", "/dev/null/x", smallBag)
}
