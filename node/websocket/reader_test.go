package websocket

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// frame is a client's frame.
func frame(first byte, payload string) []byte {
	b := appendHead(nil, 0, len(payload))
	b[0] = first
	b[1] |= flagMasked
	mask := [4]byte{0x12, 0xff, 0, 0x77}
	b = append(b, mask[:]...)
	for i := range len(payload) {
		b = append(b, payload[i]^mask[i%4])
	}
	return b
}

const final = flagFinal

// wire is a connection whose other end has sent everything in advance.
type wire struct {
	net.Conn // nil: nothing else is called
	in       io.Reader
	out      bytes.Buffer
}

func (w *wire) Read(b []byte) (int, error)       { return w.in.Read(b) }
func (w *wire) Write(b []byte) (int, error)      { return w.out.Write(b) }
func (w *wire) SetReadDeadline(time.Time) error  { return nil }
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

func connOf(w *wire, limit int64) *Conn {
	o := Options{MaxMessage: limit}
	o.setDefaults()
	return newConn(w, bufio.NewReader(strings.NewReader("")), "", o)
}

// TestRules is what a client may and may not send, and what it is told.
func TestRules(t *testing.T) {
	long := strings.Repeat("x", 126)
	tests := map[string]struct {
		sent   [][]byte
		read   []string // the messages
		status Status   // in our close frame; 0 is none
	}{
		"text":                         {[][]byte{frame(final|1, "hé")}, []string{"hé"}, 0},
		"in pieces":                    {[][]byte{frame(1, "a"), frame(0, ""), frame(0, "b"), frame(final, "c"), frame(final|2, "d")}, []string{"abc", "d"}, 0},
		"a rune in two pieces":         {[][]byte{frame(1, "\xc3"), frame(final, "\xa9")}, []string{"é"}, 0},
		"ping between pieces":          {[][]byte{frame(1, "a"), frame(final|9, "p"), frame(final, "b")}, []string{"ab"}, 0},
		"pong":                         {[][]byte{frame(final|10, "p"), frame(final|1, "a")}, []string{"a"}, 0},
		"exactly the limit":            {[][]byte{frame(2, long), frame(final, long[:74])}, []string{long + long[:74]}, 0},
		"above the limit":              {[][]byte{frame(2, long), frame(final, long[:75])}, nil, StatusTooBig},
		"above the limit in one":       {[][]byte{frame(final|2, long+long)}, nil, StatusTooBig},
		"not UTF-8":                    {[][]byte{frame(final|1, "a\xff")}, nil, StatusInvalid},
		"binary needs no UTF-8":        {[][]byte{frame(final|2, "a\xff")}, []string{"a\xff"}, 0},
		"not masked":                   {[][]byte{{final | 1, 1, 'a', 0, 0, 0}}, nil, StatusProtocol},
		"reserved bit":                 {[][]byte{frame(final|0x40|1, "a")}, nil, StatusProtocol},
		"unknown opcode":               {[][]byte{frame(final|3, "a")}, nil, StatusProtocol},
		"unknown control":              {[][]byte{frame(final|11, "a")}, nil, StatusProtocol},
		"long ping":                    {[][]byte{frame(final|9, long)}, nil, StatusProtocol},
		"ping in pieces":               {[][]byte{frame(9, "a")}, nil, StatusProtocol},
		"continuation of nothing":      {[][]byte{frame(final, "a")}, nil, StatusProtocol},
		"message in a message":         {[][]byte{frame(1, "a"), frame(final|1, "b")}, nil, StatusProtocol},
		"length in too many bytes":     {[][]byte{{final | 2, flagMasked | length16, 0, 125, 0, 0, 0, 0}}, nil, StatusProtocol},
		"length in far too many":       {[][]byte{{final | 2, flagMasked | length64, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0}}, nil, StatusProtocol},
		"negative length":              {[][]byte{{final | 2, flagMasked | length64, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, nil, StatusProtocol},
		"length of exabytes":           {[][]byte{{final | 2, flagMasked | length64, 127, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0}}, nil, StatusTooBig},
		"close":                        {[][]byte{frame(final|8, "\x03\xe8bye"), frame(final|1, "late")}, nil, StatusNormal},
		"close without a status":       {[][]byte{frame(final|8, "")}, nil, StatusNone},
		"close of one byte":            {[][]byte{frame(final|8, "\x03")}, nil, StatusProtocol},
		"close with a reserved status": {[][]byte{frame(final|8, "\x03\xed")}, nil, StatusProtocol},
		"close with bad text":          {[][]byte{frame(final|8, "\x03\xe8\xff")}, nil, StatusInvalid},
		"end in a head":                {[][]byte{{final | 2}}, nil, 0},
		"end in a payload":             {[][]byte{frame(final|2, "abc")[:8]}, nil, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			sent := slices.Concat(test.sent...)
			for how, in := range map[string]io.Reader{"at once": bytes.NewReader(sent), "byte by byte": iotest.OneByteReader(bytes.NewReader(sent))} {
				w := &wire{in: in}
				messages, err := readAll(connOf(w, 200))
				if !slices.Equal(messages, test.read) {
					t.Errorf("%s: read %q, expected %q", how, messages, test.read)
				}
				if got := closeOf(t, w.out.Bytes()); got != test.status {
					t.Errorf("%s: closed with %d, expected %d (%v)", how, got, test.status, err)
				}
				if strings.HasPrefix(name, "end in") && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s: %v", how, err)
				}
			}
		})
	}
}

func readAll(c *Conn) (messages []string, err error) {
	for {
		_, m, err := c.Read()
		if err != nil {
			return messages, err
		}
		messages = append(messages, string(m))
	}
}

// closeOf takes the server's frames apart, in a way of its own, and returns the
// status of the close frame, which has to be the last one.
func closeOf(t *testing.T, b []byte) Status {
	t.Helper()
	for len(b) > 0 {
		if len(b) < 2 || b[1] > maxControl || len(b) < 2+int(b[1]) {
			t.Fatalf("no control frame of the server's: % x", b)
		}
		opcode, payload := b[0], b[2:2+b[1]]
		b = b[2+b[1]:]
		switch opcode {
		case final | opPong:
		case final | opClose:
			if len(b) > 0 {
				t.Fatalf("after the close frame: % x", b)
			}
			if len(payload) == 0 {
				return StatusNone
			}
			return Status(binary.BigEndian.Uint16(payload))
		default:
			t.Fatalf("the server sent a frame that begins with %#x", opcode)
		}
	}
	return 0
}

// FuzzRead reads whatever a client sends: the same however it arrives, bounded, and
// answered by well-formed frames.
func FuzzRead(f *testing.F) {
	f.Add(frame(final|1, "text"))
	f.Add(slices.Concat(frame(1, "a"), frame(final|9, "ping"), frame(final, "b"), frame(final|8, "\x03\xe8bye")))
	f.Add(slices.Concat(frame(final|2, strings.Repeat("x", 200)), frame(final|2, strings.Repeat("y", 999))))
	f.Add([]byte{final | 2, flagMasked | length64, 127, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, sent []byte) {
		const limit = 500
		one, other := &wire{in: bytes.NewReader(sent)}, &wire{in: iotest.HalfReader(bytes.NewReader(sent))}
		messages, err := readAll(connOf(one, limit))
		for _, m := range messages {
			if len(m) > limit {
				t.Errorf("a message of %d bytes", len(m))
			}
		}
		again, err2 := readAll(connOf(other, limit))
		if !slices.Equal(messages, again) || err.Error() != err2.Error() {
			t.Errorf("%q, %v; in other pieces %q, %v", messages, err, again, err2)
		}
		closeOf(t, one.out.Bytes())
	})
}

func TestUnmask(t *testing.T) {
	mask := [4]byte{1, 2, 4, 8}
	for n := range 40 {
		for at := range int64(9) {
			b := make([]byte, n)
			unmask(b, mask, at)
			for i, v := range b {
				if want := mask[(at+int64(i))%4]; v != want {
					t.Fatalf("%d bytes from %d: byte %d is %d, expected %d", n, at, i, v, want)
				}
			}
		}
	}
}
