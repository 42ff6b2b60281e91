package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestVersionFlag checks that --version is the command version.
func TestVersionFlag(t *testing.T) {
	if flag, word := want(t, exitOK, "--version"), want(t, exitOK, "version"); flag != word {
		t.Errorf("%q, want %q", flag, word)
	}
}

// TestBare: the program alone prints its commands.
func TestBare(t *testing.T) {
	if alone, help := want(t, exitOK), want(t, exitOK, "-h"); alone != help || !strings.Contains(alone, "Camera and topics") {
		t.Errorf("%q, want %q", alone, help)
	}
}

// TestNoMaster checks that nodes say at once that there is no master, and end with exit code 5 if they
// are interrupted before there is one.
func TestNoMaster(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	for _, line := range []string{"live --device sim", "record -a -O " + filepath.Join(t.TempDir(), "x.bag"), "play --pause " + bag} {
		ctx, interrupt := context.WithCancel(t.Context())
		var out bytes.Buffer
		log := untilText{text: "no ROS master at http://127.0.0.1:1/: start roscore, or use --master embedded", found: interrupt}
		args := append(strings.Fields(line), "__master:=http://127.0.0.1:1/")
		code := run(ctx, args, streams{out: &out, err: zerolog.SyncWriter(&log)}, nil)
		if last := "rs-ros-node: no ROS master answered at http://127.0.0.1:1/\n"; code != exitNoMaster || !strings.HasSuffix(log.String(), last) || strings.Contains(log.String(), "canceled") {
			t.Errorf("%s: %d\n%s", line, code, log.String())
		}
		interrupt()
	}
}

// untilText calls found when a text was written.
type untilText struct {
	bytes.Buffer
	text  string
	found func()
}

func (u *untilText) Write(p []byte) (int, error) {
	n, err := u.Buffer.Write(p)
	if strings.Contains(u.String(), u.text) {
		u.found()
	}
	return n, err
}

// TestMasterListen checks that --listen may have a port.
func TestMasterListen(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out := untilText{text: "ROS_MASTER_URI=", found: interrupt}
	code := run(ctx, []string{"master", "--listen", "127.0.0.1:0"}, streams{out: &out, err: io.Discard}, nil)
	if code != exitOK || !strings.HasPrefix(out.String(), "ROS_MASTER_URI=http://localhost:") || strings.Contains(out.String(), ":11311") {
		t.Errorf("exit code %d, %s", code, out.String())
	}
	if code, _, log := command(t, "master", "--listen", "127.0.0.1:0", "--port", "1"); code != exitUsage {
		t.Errorf("two ports: exit code %d, %s", code, log)
	}
}

// TestTakenMaster checks what a second master on an address says.
func TestTakenMaster(t *testing.T) {
	m, err := graph.StartMaster(t.Context(), graph.MasterOptions{Address: "127.0.0.1:0"})
	need.Must(t, err)
	defer m.Close()
	want := "rs-ros-node: a ROS master already runs at http://127.0.0.1:"
	if code, _, log := command(t, "master", "__master:="+m.URI()); code != exitNoMaster || !strings.HasPrefix(log, want) {
		t.Errorf("%d, %s, want %s", code, log, want)
	}
}
