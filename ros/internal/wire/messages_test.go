package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"

	"rsros/program/recvbuf"
	"rsros/test/need"
)

// connected returns a connection and its other end.
func connected(t *testing.T) (ours, theirs *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	need.Must(t, err)
	t.Cleanup(func() { conn.Close() }) //nolint:errcheck // at the end
	other, err := l.Accept()
	need.Must(t, err)
	t.Cleanup(func() { other.Close() }) //nolint:errcheck // at the end
	return conn.(*net.TCPConn), other.(*net.TCPConn)
}

// pattern returns a message of n bytes.
func pattern(n int) []byte {
	return bytes.Repeat([]byte{byte(n), byte(n >> 8), byte(n >> 16), 1, 2, 3, 5}, n/7+1)[:n]
}

// next reads a message into b.
func next(t *testing.T, m *MessageReader, b *recvbuf.Buffer) []byte {
	t.Helper()
	n, err := m.Next()
	if err == nil {
		err = m.Read(int(n), b)
	}
	need.Must(t, err)
	return b.Data
}

func TestMessagesOfAllSizes(t *testing.T) {
	sizes := []int{0, 1, 3, batchBytes - 4, batchBytes, batchBytes + 1, 1, 3 << 20, 0, 3<<20 + 5, 200, batchBytes + 7, 2 << 20, 1}
	for name, pair := range map[string]func(*testing.T) (net.Conn, net.Conn){
		"tcp":              func(t *testing.T) (net.Conn, net.Conn) { ours, theirs := connected(t); return theirs, ours },
		"without a socket": func(*testing.T) (net.Conn, net.Conn) { return net.Pipe() },
	} {
		t.Run(name, func(t *testing.T) {
			theirs, ours := pair(t)
			go func() {
				for _, n := range sizes {
					theirs.Write(AppendSized(nil, pattern(n))) //nolint:errcheck // the reader sees it
				}
				theirs.Close()
			}()
			m := NewMessageReader(ours)
			var b recvbuf.Buffer
			for _, n := range sizes {
				old := b.Data
				if got := next(t, m, &b); !bytes.Equal(got, pattern(n)) {
					t.Fatalf("a message of %d bytes came as one of %d, or with others", n, len(got))
				}
				if cap(old) >= max(n, 1) && &old[:1][0] != &b.Data[:1][0] {
					t.Errorf("a buffer of %d bytes wasn't used again for %d", cap(old), n)
				}
			}
			if _, err := m.Next(); err != io.EOF {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}

// A low-water mark set for a large message would keep a small one in the socket, and one above the rest
// of a message would keep its end there.
func TestSmallMessageAfterLargeOneIsNotKeptWaiting(t *testing.T) {
	ours, theirs := connected(t)
	m := NewMessageReader(ours)
	answered := make(chan struct{})
	go func() {
		for range 3 {
			large := AppendSized(nil, pattern(3<<20))
			theirs.Write(large[:5])               //nolint:errcheck // the reader sees it
			theirs.Write(large[5 : len(large)-1]) //nolint:errcheck // the same
			theirs.Write(large[len(large)-1:])    //nolint:errcheck // the same
			<-answered
			theirs.Write(AppendSized(nil, []byte{1})) //nolint:errcheck // the same
			<-answered
		}
	}()
	var b recvbuf.Buffer
	for range 3 {
		for _, n := range []int{3 << 20, 1} {
			if got := next(t, m, &b); len(got) != n {
				t.Fatalf("%d bytes, not %d", len(got), n)
			}
			answered <- struct{}{}
		}
	}
}

func TestMessagesThatEndEarly(t *testing.T) {
	whole := AppendSized(nil, pattern(2<<20))
	for _, n := range []int{1, 3, 4, 5, 1 << 20, len(whole) - 1} {
		ours, theirs := connected(t)
		go func() { theirs.Write(whole[:n]); theirs.Close() }() //nolint:errcheck // the reader sees it
		m := NewMessageReader(ours)
		size, err := m.Next()
		if err == nil {
			err = m.Read(int(size), new(recvbuf.Buffer))
		}
		if err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes of a message: %v", n, err)
		}
	}
}

func TestClaimedLengthCostsNoMemory(t *testing.T) {
	ours, theirs := connected(t)
	go func() { theirs.Write([]byte("\x00\x00\x00\x40few")); theirs.Close() }() //nolint:errcheck // the reader sees it
	m := NewMessageReader(ours)
	n, err := m.Next()
	if err != nil || n != 1<<30 {
		t.Fatal(n, err)
	}
	var b recvbuf.Buffer
	if err := m.Read(int(n), &b); err != io.ErrUnexpectedEOF || cap(b.Data) > firstGrowth {
		t.Errorf("%d bytes allocated, %v", cap(b.Data), err)
	}
}

func TestSkippedMessages(t *testing.T) {
	ours, theirs := connected(t)
	go func() {
		for _, n := range []int{10, 3 << 20, 10} {
			theirs.Write(AppendSized(nil, pattern(n))) //nolint:errcheck // the reader sees it
		}
		theirs.Write([]byte("\x00\x00\x00\x40few")) //nolint:errcheck // the same
		theirs.Close()
	}()
	m := NewMessageReader(ours)
	for _, skip := range []bool{true, true, false} {
		if !skip {
			if b := next(t, m, new(recvbuf.Buffer)); !bytes.Equal(b, pattern(10)) {
				t.Errorf("after two skipped messages: % x", b)
			}
			continue
		}
		n, err := m.Next()
		if err == nil {
			err = m.Skip(n)
		}
		need.Must(t, err)
	}
	if n, err := m.Next(); err != nil || m.Skip(n) != io.ErrUnexpectedEOF {
		t.Errorf("the end within a message of %d: %v", n, err)
	}
}

func TestReadFromClosedConnection(t *testing.T) {
	ours, _ := connected(t)
	m := NewMessageReader(ours)
	go ours.Close()
	if _, err := m.Next(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
