package keys

import (
	"context"
	"io"
	"os"
	"time"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Support for keys, for version --features.
const (
	Support    = "yes: ReadConsoleInput"
	JobControl = "no: Windows has none"
)

// terminal reads keys from a console, a pipe or a file. It sets up the console to deliver each key at once, without
// echo and with arrow keys as other terminals send them, and changes nothing else: Ctrl-C still interrupts.
//
// Only one goroutine may use it.
type terminal struct {
	file    *os.File // keeps input open
	input   windows.Handle
	console bool
	saved   uint32 // mode of the console
}

func newTerminal(f *os.File, _ Handler) *terminal {
	t := &terminal{file: f, input: windows.Handle(f.Fd())}
	if windows.GetConsoleMode(t.input, &t.saved) == nil {
		t.console = true
		keys := t.saved&^(windows.ENABLE_LINE_INPUT|windows.ENABLE_ECHO_INPUT) | windows.ENABLE_VIRTUAL_TERMINAL_INPUT
		_ = windows.FlushConsoleInputBuffer(t.input)
		_ = windows.SetConsoleMode(t.input, keys) // an old console delivers lines
	}
	return t
}

func (t *terminal) close() {
	if t.console {
		_ = windows.SetConsoleMode(t.input, t.saved)
	}
}

func (t *terminal) interactive() bool { return t.console }

// claim returns true, because Windows has no background jobs.
func (t *terminal) claim() bool { return true }

func (t *terminal) handleSignals(context.Context) {}

// read waits for keys, for at most poll, and returns how many bytes it has read.
func (t *terminal) read(keys []byte) (int, error) {
	if t.console {
		return t.readConsole(keys)
	}
	if kind, err := windows.GetFileType(t.input); err == nil && kind == windows.FILE_TYPE_PIPE {
		waiting, err := pipeBytes(t.input)
		if err != nil {
			return 0, io.EOF // the other end is closed
		}
		if waiting == 0 {
			time.Sleep(poll)
			return 0, nil
		}
	}
	return t.file.Read(keys)
}

var (
	kernel32         = windows.NewLazySystemDLL("kernel32.dll")
	readConsoleInput = kernel32.NewProc("ReadConsoleInputW")
	peekNamedPipe    = kernel32.NewProc("PeekNamedPipe")
)

// inputRecord is INPUT_RECORD with a KEY_EVENT_RECORD in it.
type inputRecord struct {
	kind, _           uint16
	down              int32
	repeat, key, scan uint16
	char              uint16 // UTF-16; 0: none
	_                 uint32
}

const keyEvent = 1

// readConsole reads console events and returns those that are keys.
func (t *terminal) readConsole(keys []byte) (int, error) {
	switch event, err := windows.WaitForSingleObject(t.input, uint32(poll.Milliseconds())); {
	case err != nil:
		return 0, err
	case event != windows.WAIT_OBJECT_0:
		return 0, nil
	}
	var records [16]inputRecord
	var n uint32
	if ok, _, err := readConsoleInput.Call(uintptr(t.input), uintptr(unsafe.Pointer(&records[0])), uintptr(len(records)),
		uintptr(unsafe.Pointer(&n))); ok == 0 {
		return 0, err
	}
	var text []uint16
	for _, r := range records[:n] {
		if r.kind == keyEvent && r.down != 0 && r.char != 0 {
			text = append(text, r.char)
		}
	}
	return copy(keys, string(utf16.Decode(text))), nil
}

func pipeBytes(pipe windows.Handle) (n uint32, err error) {
	if ok, _, err := peekNamedPipe.Call(uintptr(pipe), 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0); ok == 0 {
		return 0, err
	}
	return n, nil
}
