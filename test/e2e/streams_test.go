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
	"rsros/test/need"
	"rsros/test/peer"
)

// smallBag returns the path of a small recording.
func smallBag(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../data/librealsense/sw_small_lz4.bag")
	need.Must(t, err)
	return path
}

// piped runs the program with an input, and returns its output.
func piped(t *testing.T, in []byte, code int, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), peer.Program(t), args...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &stderr
	out, _ := cmd.Output() // the exit code shows it
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("%q: exit code %d, want %d: %s", args, got, code, &stderr)
	}
	return out
}

// TestStreams checks that - is standard input and standard output, for bags and for other formats.
func TestStreams(t *testing.T) {
	t.Parallel()
	small := smallBag(t)
	bag, err := os.ReadFile(small)
	need.Must(t, err)
	dir := t.TempDir()
	cut := filepath.Join(dir, "cut.bag")
	peer.Run(t, nil, peer.Program(t), "filter", small, "-o", cut, "--end", "1")
	want, err := os.ReadFile(cut)
	need.Must(t, err)
	if got := piped(t, bag, 0, "filter", "-", "-o", "-", "--end", "1"); !bytes.Equal(got, want) {
		t.Errorf("filter wrote %d bytes, and %d into a file", len(got), len(want))
	}
	if got := piped(t, nil, 0, "merge", "-o", "-", cut); len(got) == 0 {
		t.Error("merge wrote nothing")
	}
	torn := piped(t, bag[:100_000], 3, "recover", "-", "-o", "-")
	piped(t, torn, 0, "check", "-")
	piped(t, bag, 1, "recover", "-")
	piped(t, bag, 2, "filter", "-", "-o", "-", "True", "--print", "topic")
	for ext, code := range map[string]int{".mcap": 0, ".db3": 3} { // librealsense's .db3 has no poses
		other := filepath.Join(dir, "other"+ext)
		piped(t, nil, code, "convert", small, "-o", other)
		b, err := os.ReadFile(other)
		need.Must(t, err)
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

// TestCacheFolder checks that what one process has fetched, the next one reads from disk.
func TestCacheFolder(t *testing.T) {
	b := bucket.Start(t)
	small := smallBag(t)
	address, cache := b.Put("walk.bag", small), filepath.Join(t.TempDir(), "cache")
	var first place.Traffic
	for n := range 2 {
		var got struct{ Traffic place.Traffic }
		need.Must(t, json.Unmarshal(piped(t, nil, 0, "check", "--json", "--cache", cache, "--cache-size", "1G", address), &got))
		switch {
		case n == 0:
			first = got.Traffic
		// Opening a file fetches its first 64 KiB each time.
		case got.Traffic.Fetched > 128<<10 || got.Traffic.Requests >= first.Requests || got.Traffic.Kept < first.Fetched*3/4:
			t.Errorf("first %+v, then %+v", first, got.Traffic)
		}
	}
	piped(t, nil, 2, "info", "--cache-size", "1G", small)
	piped(t, nil, 2, "info", "--cache", cache, "--cache-size", "0", small)
	piped(t, nil, 1, "info", "--cache", "/dev/null/x", small)
}
