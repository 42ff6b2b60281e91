package keys

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rsros/program/work"
	"rsros/test/need"
	"rsros/test/peer"
)

// TestRead checks that what was typed ahead at a terminal, and what is pasted there, is no key, that keys are, and that
// a pipe may have many at once.
func TestRead(t *testing.T) {
	typed := make(chan string, 100)
	read := func(file *os.File) (stop func()) {
		return work.Run(context.Background(), func(ctx context.Context) {
			Read(ctx, file, Handler{Typed: func(input string) { typed <- input }})
		})
	}
	keys, screen := need.Terminal(t)
	fmt.Fprint(keys, "q")
	if n, err := keys.Read(make([]byte, 1)); n != 1 {
		t.Fatalf("no echo of what is typed ahead: %v", err)
	}
	go io.Copy(io.Discard, keys) //nolint:errcheck // ends with the terminal
	stop := read(screen)
	peer.Await(t, "the terminal to be set up", func() bool {
		s, err := unix.IoctlGetTermios(int(screen.Fd()), getTermios)
		return err == nil && s.Lflag&unix.ICANON == 0
	})
	for _, c := range []struct{ input, want string }{
		{" ", " "}, {"é", "é"}, {"\x1b[A", "\x1b[A"}, {"\x1b[C\x1b[C", "\x1b[C\x1b[C"}, {"\x1b", "\x1b"}, {"[C", "[C"},
		{"rs-ros-node info walk.bag\n", ""}, {"ss", ""}, {"s\n", ""}, {"\x1b[15~", ""}, // F5
		{strings.Repeat("rs-ros-node info\n", 4)[:64] + "s", ""}, // the last letter in a read of its own
	} {
		fmt.Fprint(keys, c.input)
		for got, want, tries := "", cmp.Or(c.want, "."), 0; got == ""; tries++ {
			if tries == 100 {
				t.Fatalf("after %q: no key", c.input)
			}
			if c.want == "" { // the next key is one again
				fmt.Fprint(keys, want)
			}
			select {
			case got = <-typed:
				if got != want {
					t.Errorf("after %q: got %q, want %q", c.input, got, want)
				}
			case <-time.After(3 * poll): // until nothing has come for a while
			}
		}
	}
	stop()
	in, out, err := os.Pipe()
	need.Must(t, err)
	defer in.Close()
	fmt.Fprint(out, " s")
	stop = read(in)
	if got := <-typed; got != " s" {
		t.Errorf("a pipe: %q", got)
	}
	need.Must(t, out.Close())
	stop()
}
