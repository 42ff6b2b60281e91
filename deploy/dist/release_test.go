package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewRelease: a release is a tagged commit as it is; others are named after their commit.
func TestNewRelease(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@localhost"}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	source := filepath.Join(root, "program", "version.go")
	say := func(version string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(source, []byte(`var Version = "`+version+`"`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is := func(version, problem string) {
		t.Helper()
		r, err := newRelease(root, filepath.Join(t.TempDir(), "out"))
		switch {
		case problem != "":
			if err == nil || !strings.Contains(err.Error(), problem) {
				t.Errorf("%v, want %q", err, problem)
			}
			return
		case err != nil:
			t.Fatal(err)
		}
		defer os.RemoveAll(r.work) //nolint:errcheck // empty
		if want := strings.ReplaceAll(version, "COMMIT", r.commit); r.version != want {
			t.Errorf("version %q, want %q", r.version, want)
		}
	}
	git("init", "--quiet")
	say("1.2.3")
	git("add", ".")
	git("commit", "--quiet", "-m", "a")
	is("1.2.3-dev.COMMIT", "")
	say("1.2.3-dev")
	is("1.2.3-dev.COMMIT", "")
	git("tag", "-a", "v1.2.3", "-m", "a")
	is("", "program/version.go says 1.2.3-dev")
	say("1.2.3")
	is("1.2.3", "")
	say("1.2.4")
	is("", "program/version.go says 1.2.4")
	say("1.2.3")
	if err := os.WriteFile(source, []byte("// changed\nvar Version = \"1.2.3\""), 0o644); err != nil {
		t.Fatal(err)
	}
	is("", "files differ from those of the tag v1.2.3")
}
