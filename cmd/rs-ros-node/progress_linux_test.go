package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/program"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestProgress checks that a terminal shows a progress bar, which is erased at the end, and that a file
// gets none.
func TestProgress(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	master, screen := need.Terminal(t)
	need.Must(t, unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	var out bytes.Buffer
	a := &app{out: program.NewPrinter(&out), err: program.NewPrinter(screen), raw: streams{err: screen}}
	report, done := a.progress("walk.bag", false)
	report(40, 100)
	drawn, buf := "", make([]byte, 4096)
	for !strings.Contains(drawn, "walk.bag [=") || !strings.Contains(drawn, "40 %") {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatalf("drawn: %q, %v", drawn, err)
		}
		drawn += string(buf[:n])
	}
	go io.Copy(io.Discard, master) //nolint:errcheck // ends with an error when the screen closes
	done()
	if err := a.check(t.Context(), []string{bag}, checkOptions{}); err != nil {
		t.Error(err)
	}
	screen.Close()
	if text := out.String(); !strings.HasPrefix(text, bag+": sound") || strings.Contains(text, "[=") {
		t.Errorf("standard output: %q", text)
	}
	if report, _ := (&app{raw: streams{err: &out}}).progress("x", false); report != nil {
		t.Error("a bar without a terminal")
	}
}
