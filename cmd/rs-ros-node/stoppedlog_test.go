package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rsros/msgs"
	"rsros/program"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// stoppedScreen is a terminal that Ctrl-S has stopped, or a pipe that nobody reads.
type stoppedScreen struct{ until <-chan struct{} }

func (s stoppedScreen) Write(p []byte) (int, error) {
	<-s.until
	return len(p), nil
}

// TestStoppedLog checks that a recorder of which nobody reads a line goes on, and ends with the files that it would have otherwise, while
// it has to tell of its first file, of names that are taken, of a file that another program deletes, of a ring and its triggers, and
// of a full disk.
func TestStoppedLog(t *testing.T) {
	for _, test := range []struct {
		name  string
		args  []string
		act   func(dir string, n *ros.Node) // when there is a file
		until string                        // there are files of this pattern
		want  error
	}{
		{"taken", []string{"--split", "--duration", "1"}, func(dir string, _ *ros.Node) {
			need.Must(t, os.WriteFile(filepath.Join(dir, "x_1.bag"), nil, 0o600))
		}, "x_*_1.bag", nil},
		{"deleted", nil, func(dir string, _ *ros.Node) {
			need.Must(t, os.Remove(filepath.Join(dir, "x.bag.active")))
		}, "x_1.bag.active", program.ErrIncomplete},
		{"ring", []string{"--ring", "2", "--ring-after", "1", "--ring-size", "1k"}, func(_ string, n *ros.Node) {
			rig.Trigger(t, n, "/recorder/trigger")
		}, "x_*.bag", nil},
		{"full", []string{"--min-space", "1000000G"}, func(string, *ros.Node) {}, "x.bag.active", program.ErrIncomplete},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			master, dir := rig.Master(t), t.TempDir()
			n := rig.Node(t, master, "talker")
			p, err := n.Advertise(ros.PublisherOptions{Topic: "/chatter", Type: msgs.MustType("std_msgs/String")})
			need.Must(t, err)
			screen := stoppedScreen{make(chan struct{})}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				args := []string{"record", "/chatter", "-O", filepath.Join(dir, "x.bag"), "__name:=recorder", "__ip:=127.0.0.1", "__master:=" + master.URI()}
				ended <- execute(ctx, append(args, test.args...), streams{err: screen}, nil)
			}()
			defer stop()
			there := func(patterns ...string) func() bool {
				return func() bool {
					p.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: "hi"})})
					return p.Subscribers() > 0 && slices.ContainsFunc(patterns, func(pattern string) bool {
						found, _ := filepath.Glob(filepath.Join(dir, pattern))
						return len(found) > 0
					})
				}
			}
			peer.Await(t, "the first file", there("*.active", "*/*.active"))
			test.act(dir, n)
			peer.Await(t, "another file", there(test.until))
			stop()
			peer.Await(t, "the end", func() bool { return len(ended) > 0 })
			if err := <-ended; !errors.Is(err, test.want) {
				t.Errorf("the recorder ends with %v", err)
			}
			bags, err := filepath.Glob(filepath.Join(dir, "x*.bag"))
			if err != nil || len(bags) == 0 {
				t.Fatalf("no recording: %v", err)
			}
			for _, bag := range bags {
				if st, err := os.Stat(bag); err != nil || st.Size() > 0 {
					want(t, exitOK, "check", bag)
				}
			}
		})
	}
}
