//go:build npm

package e2e

import (
	"crypto/sha1" //nolint:gosec // to compare, not to trust
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	recordings "rsros/bagstore/recording"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// npmModules installs the libraries that a folder of test/ declares, and returns their folder.
func npmModules(t *testing.T, folder string) string {
	t.Helper()
	need.Programs(t, "node", "npm")
	cache := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(repository(t), "test", folder, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(cache, name), b, 0o600)
		}
		need.Must(t, err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = cache
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return filepath.Join(cache, "node_modules")
}

// TestRosbag2NPM checks that independent readers of ROS 2 recordings, those of Foxglove and Lichtblick,
// read the same bytes as we do from convert's output, and decode them, and that we read what their
// writer writes.
func TestRosbag2NPM(t *testing.T) {
	modules := npmModules(t, "rosbag2")
	other := func(args ...string) []string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(repository(t), "test", "rosbag2", "peer.cjs")}, args...)...)
		cmd.Env = append(os.Environ(), "RS_NODE_MODULES="+modules)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("peer %q: %v\n%s", args, err, out)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	program, dir := peer.Program(t), t.TempDir()
	convert := func(in, out string, args ...string) {
		t.Helper()
		if said, err := exec.CommandContext(t.Context(), program, append([]string{"convert", in, "-o", out}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("convert %s: %v\n%s", out, err, said)
		}
	}
	for _, c := range []struct {
		out  string
		file string
		args []string
	}{{"plain.mcap", "plain.mcap", nil}, {"lz4.mcap", "lz4.mcap", []string{"--lz4"}}, {"folder", "folder/folder_0.db3", nil}} {
		convert(need.Bag(t, "db3/own_native.db3"), filepath.Join(dir, c.out), c.args...)
		got, want := other("read", filepath.Join(dir, c.file)), rawLines(t, filepath.Join(dir, c.file))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the peer reads %d messages, we %d; or they differ", c.out, len(got), len(want))
		}
	}
	own, again := filepath.Join(dir, "own.mcap"), filepath.Join(dir, "again.mcap")
	other("write", own)
	convert(own, again, "--lz4")
	want := other("read", own)
	if got := other("read", again); !slices.Equal(got, want) || len(got) != 102 {
		t.Errorf("of the peer's file came %d lines, want %d:\n%s", len(got), len(want), strings.Join(got[len(got)-2:], "\n"))
	}
}

// rawLines lists messages as the peer does.
func rawLines(t *testing.T, path string) (list []string) {
	t.Helper()
	bag, _, err := recordings.OpenRaw(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	samplebag.Each(t, func(m bagstore.Message) {
		list = append(list, fmt.Sprintf("%d %s %x", m.Time, m.Conn.Topic, sha1.Sum(m.Data)))
	}, bag)
	return list
}
