package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

type release struct {
	root, out string // absolute
	work      string // a scratch folder
	version   string // "0.1.0", or "0.1.0-dev.1a2b3c4d5e6f" without a tag
	commit    string // 12 digits
	time      time.Time
}

var constant = regexp.MustCompile(`Version += "([0-9.]+(?:-dev)?)"`)

// newRelease reads the version from the source and git, and empties the output folder.
func newRelease(root, out string) (*release, error) {
	r := &release{}
	var err error
	if r.root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	if r.out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(r.root, "program/version.go"))
	if err != nil {
		return nil, err
	}
	found := constant.FindSubmatch(source)
	if found == nil {
		return nil, fmt.Errorf("program/version.go: no line like %s", constant)
	}
	r.version = string(found[1])
	if r.commit, err = r.git("rev-parse", "--short=12", "HEAD"); err != nil {
		return nil, err
	}
	if tag, err := r.git("describe", "--tags", "--exact-match"); err != nil {
		r.version = strings.TrimSuffix(r.version, "-dev") + "-dev." + r.commit
	} else if tag != "v"+r.version {
		return nil, fmt.Errorf("the commit has the tag %s, but program/version.go says %s", tag, r.version)
	} else if changed, err := r.git("status", "--porcelain", "--untracked-files=no"); err != nil || changed != "" {
		return nil, errors.Join(err, fmt.Errorf("files differ from those of the tag %s:\n%s", tag, changed))
	}
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		if seconds, err = r.git("log", "-1", "--format=%ct"); err != nil {
			return nil, err
		}
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("time of the release: %w", err)
	}
	r.time = time.Unix(unix, 0).UTC()
	if err := os.RemoveAll(r.out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return nil, err
	}
	r.work, err = os.MkdirTemp("", "rs-ros-node-dist-")
	return r, err
}

func (r *release) git(args ...string) (string, error) {
	return r.run("git", nil, args...)
}

// run runs a command in the repository and returns its standard output.
func (r *release) run(name string, env []string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), env...)
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, log.String())
	}
	return strings.TrimSpace(string(out)), nil
}
