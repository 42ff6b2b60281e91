//go:build usb && usbvm && usbsdk

package usbvm

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rsros/test/need"
)

// harmless are warnings of the SDK that real cameras cause as well, or that
// the machine causes.
var harmless = []string{
	"(hdr-config.cpp",                  // a camera without a sequence has no data to return
	"Resource temporarily unavailable", // its 100 ms for a request are short where the processor is emulated
	"watchdog triggered",               // as are its ten periods without a frame
	"didn't return on time",            // and its 100 ms for the end of a transfer
	"object doesn't support option",    // the temperatures of a camera at rest
	"with streaming inactive",          // a frame that was on its way when its stream stopped
}

// sdk is a run of the probe.
type sdk struct {
	t     *testing.T
	cmd   *exec.Cmd
	log   string
	calm  bool   // the log must hold only harmless lines
	known string // part of lines that the test causes, if not empty
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startSDK(t *testing.T, args ...string) *sdk {
	t.Helper()
	home := t.TempDir()
	need.Must(t, os.WriteFile(filepath.Join(home, ".realsense-config.json"), []byte("{}"), 0o644))
	dir := filepath.Join(os.Getenv("USBVM_OUT"), "sdk")
	s := &sdk{t: t, cmd: exec.Command(filepath.Join(dir, "probe"), args...), log: filepath.Join(home, "log"), calm: true}
	s.cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "HOME="+home, "SDK_LOG="+s.log)
	s.cmd.Stderr = os.Stdout
	in, err1 := s.cmd.StdinPipe()
	out, err2 := s.cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	s.in, s.lines = in, bufio.NewScanner(out)
	s.lines.Buffer(nil, 1<<20)
	need.Must(t, s.cmd.Start())
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	})
	return s
}

// next returns the fields of the next line, nil at the end.
func (s *sdk) next() []string {
	if !s.lines.Scan() {
		return nil
	}
	return strings.Split(s.lines.Text(), "\t")
}

// expect reads a line that begins with the given fields.
func (s *sdk) expect(want ...string) []string {
	s.t.Helper()
	got := s.next()
	if got == nil {
		s.end() // says how
	}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		s.t.Fatalf("the SDK says %q, want %q", got, want)
	}
	return got
}

func (s *sdk) say(line string) {
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Error(err)
	}
}

// end waits for the program and checks its log.
func (s *sdk) end() {
	s.t.Helper()
	_ = s.in.Close()
	for s.next() != nil { // whatever it still says
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("probe %s: %v", s.cmd.Args[1:], err)
	}
	text, err := os.ReadFile(s.log)
	if err != nil {
		s.t.Error(err)
	}
	for _, line := range complaints(string(text)) {
		if s.calm && (s.known == "" || !strings.Contains(line, s.known)) {
			s.t.Errorf("the SDK logs: %s", line)
		}
	}
}

// complaints returns the lines of the SDK's log that aren't harmless.
func complaints(log string) []string {
	var list []string
	for line := range strings.Lines(log) {
		if !slices.ContainsFunc(harmless, func(h string) bool { return strings.Contains(line, h) }) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// runSDK runs the probe to its end and returns its lines by their first field.
func runSDK(t *testing.T, args ...string) map[string][][]string {
	t.Helper()
	return startSDK(t, args...).all()
}

// all lets the probe run to its end and returns its lines by their first field.
func (s *sdk) all() map[string][][]string {
	s.t.Helper()
	said := map[string][][]string{}
	for f := s.next(); f != nil; f = s.next() {
		said[f[0]] = append(said[f[0]], f[1:])
	}
	s.end()
	return said
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	need.Must(t, err)
	return v
}

func numbers(t *testing.T, fields []string) []float64 {
	t.Helper()
	var list []float64
	for _, f := range fields {
		list = append(list, number(t, f))
	}
	return list
}
