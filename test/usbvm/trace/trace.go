// Package trace writes and reads the requests of a host to a USB camera and the
// camera's answers: one request a line, in order.
//
//	21 01 0100 0300 0400 > 1400abcd10(1019)
//	a1 81 0100 0300 0400 < ebffffff(1020)
//	a1 81 0900 0300 0010 stall
//	in 82
//
// A control request has its type, request, value, index and length, all in
// hexadecimal, then the data that was sent (>) or answered (<); (N) stands for N
// zeros. "in" is the first payload after its endpoint was cleared. Lines that begin
// with # are titles of sections.
package trace

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"rsros/usbcam/d435i"
)

// Entry is a line.
type Entry struct {
	Section  string
	Endpoint uint8 // of a payload; 0 for a control request
	Setup    d435i.Setup
	Out, In  []byte
	Stalled  bool
}

// Request is the request without its answer, as text.
func (e Entry) Request() string {
	if e.Endpoint != 0 {
		return fmt.Sprintf("in %02x", e.Endpoint)
	}
	s := e.Setup
	text := fmt.Sprintf("%02x %02x %04x %04x %04x", s.RequestType, s.Request, s.Value, s.Index, s.Length)
	if s.RequestType&0x80 == 0 && s.Length > 0 {
		text += " > " + pack(e.Out)
	}
	return text
}

func (e Entry) String() string {
	text := e.Request()
	switch {
	case e.Stalled:
		text += " stall"
	case e.Endpoint == 0 && e.Setup.RequestType&0x80 != 0:
		text += " < " + pack(e.In)
	}
	return text
}

// pack writes data in hexadecimal, and many zeros as their number.
func pack(b []byte) string {
	var text strings.Builder
	for len(b) > 0 {
		zeros := len(b) - len(bytes.TrimLeft(b, "\x00"))
		if zeros < 4 {
			zeros = 0
			fmt.Fprintf(&text, "%02x", b[0])
			b = b[1:]
		} else {
			fmt.Fprintf(&text, "(%d)", zeros)
		}
		b = b[zeros:]
	}
	return text.String()
}

// maxData is the largest length of a control request.
const maxData = 1<<16 - 1

func unpack(text string) (b []byte, err error) {
	for text != "" {
		plain, rest, zeros := strings.Cut(text, "(")
		data, err := hex.DecodeString(plain)
		if err != nil {
			return nil, err
		}
		b, text = append(b, data...), ""
		if zeros {
			var number string
			number, text, _ = strings.Cut(rest, ")")
			n, err := strconv.ParseUint(number, 10, 16)
			if err != nil {
				return nil, err
			}
			b = append(b, make([]byte, n)...)
		}
		if len(b) > maxData {
			return nil, fmt.Errorf("%d bytes, want at most %d", len(b), maxData)
		}
	}
	return b, nil
}

// Write writes entries, with a title before each section.
func Write(w io.Writer, list []Entry) error {
	out, section := bufio.NewWriter(w), ""
	for _, e := range list {
		if e.Section != section {
			section = e.Section
			fmt.Fprintf(out, "# %s\n", section)
		}
		fmt.Fprintln(out, e)
	}
	return out.Flush()
}

// Read reads a file that Write wrote.
func Read(path string) ([]Entry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Entry
	section, number := "", 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "# "); ok {
			section = title
			continue
		}
		e, err := parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		e.Section = section
		list = append(list, e)
	}
	return list, nil
}

func parse(line string) (e Entry, err error) {
	if n, err := fmt.Sscanf(line, "in %x", &e.Endpoint); n == 1 {
		return e, err
	}
	s := &e.Setup
	if _, err := fmt.Sscanf(line, "%x %x %x %x %x", &s.RequestType, &s.Request, &s.Value, &s.Index, &s.Length); err != nil {
		return e, fmt.Errorf("line %q: %w", line, err)
	}
	for f := strings.Fields(line)[5:]; len(f) > 0 && err == nil; {
		switch {
		case f[0] == "stall":
			e.Stalled, f = true, f[1:]
			continue
		case len(f) < 2:
			return e, fmt.Errorf("line %q ends with %q", line, f[0])
		case f[0] == ">":
			e.Out, err = unpack(f[1])
		case f[0] == "<":
			e.In, err = unpack(f[1])
		default:
			return e, fmt.Errorf("line %q has %q, want <, > or stall", line, f[0])
		}
		f = f[2:]
	}
	return e, err
}
