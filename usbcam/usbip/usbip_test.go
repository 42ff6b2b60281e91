package usbip

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/test/need"
	"rsros/usbcam/d435i"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(os.Exit)) }

// start serves a camera on loopback until the end of the test.
func start(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s := NewServer(zerolog.Nop(), Virtual("1-1", d435i.Options{}, func() {}))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return l.Addr().String()
}

// ask sends bytes and returns the first n of the answer, or fewer if the server hangs up.
func ask(t *testing.T, address string, request []byte, n int) (net.Conn, []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	need.Must(t, err)
	t.Cleanup(func() { conn.Close() })
	need.Must(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	if _, err := conn.Write(request); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	n, _ = io.ReadFull(conn, b)
	return conn, b[:n]
}

func importRequest(busID string) []byte {
	b := make([]byte, 40)
	copy(b, []byte{1, 0x11, 0x80, 3})
	copy(b[8:], busID)
	return b
}

// header returns a header of the protocol after an import, which begins with these fields.
func header(fields ...uint32) []byte {
	b := make([]byte, headerSize)
	for i, v := range fields {
		binary.BigEndian.PutUint32(b[4*i:], v)
	}
	return b
}

func TestListAndImport(t *testing.T) {
	address := start(t)
	_, b := ask(t, address, []byte{1, 0x11, 0x80, 5, 0, 0, 0, 0}, 12+312+6*4)
	if len(b) != 12+312+6*4 || binary.BigEndian.Uint32(b[8:]) != 1 || string(b[12+256:12+259]) != "1-1" {
		t.Fatalf("list:\n%s", hex.Dump(b))
	}
	if got := hex.EncodeToString(b[12+300 : 12+312]); got != "80860b3a50c7ef0201010106" {
		t.Errorf("ids, classes and counts are %s", got)
	}
	if got := hex.EncodeToString(b[12+312:]); got != "0e0100000e0200000e0200000e0100000e02000003000000" {
		t.Errorf("interfaces are %s", got)
	}
	first, b := ask(t, address, importRequest("1-1"), 8+312)
	if len(b) != 8+312 || b[7] != statusDone {
		t.Fatalf("import: % x", b)
	}
	for name, want := range map[string]byte{"1-1": statusBusy, "2-2": statusNone} {
		if _, b := ask(t, address, importRequest(name), 8); len(b) != 8 || b[7] != want {
			t.Errorf("import of %s while another host has the camera: % x, want status %d", name, b, want)
		}
	}
	// A reset takes the camera off the bus, and makes it free.
	request := append(header(cmdSubmit, 2, 0, 0, 0, 0, 1024), make([]byte, 1024)...)
	copy(request[40:], []byte{0x21, 1, 0, 1, 0, 3, 0, 4})
	copy(request[48:], []byte{20, 0, 0xab, 0xcd, 0x20})
	if _, err := first.Write(request); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(first)
	if len(rest) != 48 || binary.BigEndian.Uint32(rest) != retSubmit {
		t.Errorf("answer to the reset: % x", rest)
	}
}

// TestRefusedHost checks that the refusal of a host isn't an error, which would be logged each time: hosts try again and
// again to attach a camera that is to come back.
func TestRefusedHost(t *testing.T) {
	s := NewServer(zerolog.Nop(), Virtual("1-1", d435i.Options{}, func() {}))
	s.SetPlugged(false)
	ours, host := net.Pipe()
	defer host.Close()
	done := make(chan error, 1)
	go func() { done <- s.client(t.Context(), ours) }()
	if _, err := host.Write(importRequest("1-1")); err != nil {
		t.Fatal(err)
	}
	var head [8]byte
	if _, err := io.ReadFull(host, head[:]); err != nil || head[7] != statusNone {
		t.Errorf("answer % x, %v", head, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestHostile checks that clients that want too much are cut off.
func TestHostile(t *testing.T) {
	address := start(t)
	submit := func(fields ...uint32) []byte { return append(importRequest("1-1"), header(fields...)...) }
	var many []byte
	for i := range uint32(maxWaiting + 2) {
		many = append(many, header(cmdSubmit, i, 0, directionIn, 7, 0, 64)...)
	}
	for name, request := range map[string][]byte{
		"another protocol":      []byte("GET / HTTP/1.1\r\n\r\n"),
		"unknown operation":     {1, 0x11, 0x80, 9, 0, 0, 0, 0},
		"unknown command":       submit(9),
		"4 GiB to send":         submit(cmdSubmit, 1, 0, 0, 0, 0, 0xffffffff),
		"1 MiB to send":         submit(cmdSubmit, 1, 0, 0, 2, 0, 1<<20),
		"1 GiB to receive":      submit(cmdSubmit, 1, 0, directionIn, 2, 0, 1<<30),
		"endpoint 300":          submit(cmdSubmit, 1, 0, directionIn, 300, 0, 64),
		"isochronous":           submit(cmdSubmit, 1, 0, directionIn, 2, 0, 64, 0, 5),
		"a thousand on one end": append(importRequest("1-1"), many...),
	} {
		conn, b := ask(t, address, request, 0)
		rest, err := io.ReadAll(conn)
		if len(rest) > 1<<20 {
			t.Errorf("%s: answered with %d bytes", name, len(rest))
		}
		if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Errorf("%s: not cut off", name)
		}
		_ = b
	}
}

// TestDeafHost checks that the session of a host that takes no reply ends, as of one that has gone without a word while
// it streams.
func TestDeafHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cam := d435i.New(d435i.Options{})
		ours, host := net.Pipe()
		defer host.Close()
		s := Attach(zerolog.Nop(), ours, cam, func() {})
		defer s.Close()
		defer cam.Unplug()
		if _, err := host.Write(header(cmdSubmit, 1, 0, directionIn, 7, 0, 64)); err != nil {
			t.Fatal(err)
		}
		cam.ReportError(5)
		<-s.Done()
	})
}

// announced is a camera that announces its reads.
type announced struct {
	*d435i.Camera
	reads chan struct{}
}

func (a announced) Read(ctx context.Context, endpoint uint8) ([]byte, error) {
	a.reads <- struct{}{}
	return a.Camera.Read(ctx, endpoint)
}

// TestSizes checks that a request is answered with at most the number of bytes that it has room for, also if
// the camera was already being read for an earlier request of another size, which the host then withdrew.
func TestSizes(t *testing.T) {
	cam := announced{d435i.New(d435i.Options{}), make(chan struct{}, 10)}
	ours, host := net.Pipe()
	s := Attach(zerolog.Nop(), ours, cam, func() {})
	defer s.Close()
	defer cam.Unplug()
	send := func(fields ...uint32) {
		t.Helper()
		if _, err := host.Write(header(fields...)); err != nil {
			t.Fatal(err)
		}
	}
	receive := func(n uint32) []byte {
		t.Helper()
		b := make([]byte, n)
		if _, err := io.ReadFull(host, b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	for i, size := range []uint32{4, 64} {
		first, other := uint32(10*i), 68-size
		send(cmdSubmit, first, 0, directionIn, 7, 0, other)
		<-cam.reads
		send(cmdSubmit, first+1, 0, directionIn, 7, 0, size)
		send(cmdUnlink, first+2, 0, 0, 0, first)
		if command := binary.BigEndian.Uint32(receive(headerSize)); command != retUnlink {
			t.Fatalf("answer %d to the withdrawal", command)
		}
		cam.ReportError(5)
		head := receive(headerSize)
		data := receive(binary.BigEndian.Uint32(head[24:]))
		if want := []byte{1, 3, 0, 7, 0, 5}[:min(size, 6)]; binary.BigEndian.Uint32(head[4:]) != first+1 || !bytes.Equal(data, want) {
			t.Errorf("a request for %d bytes after a withdrawn one for %d: % x, want % x", size, other, data, want)
		}
	}
}

// late is a camera whose reads end with a payload after the host has withdrawn its request.
type late struct {
	*d435i.Camera
	payloads chan []byte
}

func (l late) Read(ctx context.Context, _ uint8) ([]byte, error) {
	b := <-l.payloads
	if b == nil {
		return nil, d435i.ErrGone
	}
	return b, nil
}

// TestLatePayload checks that a payload that was read for a withdrawn request is the answer to the next
// one, but not after the host has cleared the endpoint.
func TestLatePayload(t *testing.T) {
	for name, test := range map[string]struct {
		clear bool
		want  byte
	}{"kept": {false, 1}, "cleared": {true, 2}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cam := late{d435i.New(d435i.Options{}), make(chan []byte)}
				defer cam.Unplug()
				ours, host := net.Pipe()
				s := Attach(zerolog.Nop(), ours, cam, func() {})
				defer s.Close()
				defer close(cam.payloads)
				exchange := func(request []byte, size int) []byte {
					t.Helper()
					if _, err := host.Write(request); err != nil {
						t.Fatal(err)
					}
					b := make([]byte, size)
					if _, err := io.ReadFull(host, b); err != nil {
						t.Fatal(err)
					}
					if size == headerSize {
						_, _ = host.Read(nil) // on a pipe, the write of no data waits for it
					}
					return b
				}
				exchange(header(cmdSubmit, 1, 0, directionIn, 2, 0, 64), 0)
				synctest.Wait() // the endpoint is being read
				exchange(header(cmdUnlink, 2, 0, 0, 0, 1), headerSize)
				cam.payloads <- []byte{1}
				synctest.Wait()
				if test.clear {
					request := header(cmdSubmit, 3)
					copy(request[40:], []byte{2, 1, 0, 0, 0x82, 0, 0, 0})
					exchange(request, headerSize)
				}
				exchange(header(cmdSubmit, 4, 0, directionIn, 2, 0, 64), 0)
				synctest.Wait()
				select {
				case cam.payloads <- []byte{2}:
				default: // nothing is read
				}
				if b := exchange(nil, headerSize+1); b[7] != 4 || b[headerSize] != test.want {
					t.Errorf("answer % x, want one to request 4 with payload %d", b, test.want)
				}
			})
		})
	}
}

// broken is a camera that panics.
type broken struct {
	*d435i.Camera
}

func (broken) Control(d435i.Setup, []byte) ([]byte, error) { panic("control") }
func (broken) Read(context.Context, uint8) ([]byte, error) { panic("read") }

// TestPanic checks that a panic ends the connection whose bytes caused it, and that the camera is free afterwards.
func TestPanic(t *testing.T) {
	s := NewServer(zerolog.Nop(), &Port{
		BusID: "1-1", Gone: func(Camera) {},
		Plug: func() Camera { return broken{d435i.New(d435i.Options{})} },
	})
	for _, endpoint := range []uint32{0, 2} {
		ours, host := net.Pipe()
		var client sync.WaitGroup
		client.Go(func() { _ = s.client(t.Context(), ours) })
		go io.Copy(io.Discard, host)
		if _, err := host.Write(append(importRequest("1-1"), header(cmdSubmit, 1, 0, directionIn, endpoint, 0, 64)...)); err != nil {
			t.Error(err)
		}
		client.Wait()
		port, status := s.take("1-1", func() {})
		if status != statusDone {
			t.Fatalf("status of the camera afterwards: %d", status)
		}
		port.host = nil
	}
}

// FuzzClient sends what a client may send.
func FuzzClient(f *testing.F) {
	f.Add([]byte{1, 0x11, 0x80, 5, 0, 0, 0, 0})
	f.Add(importRequest("1-1"))
	f.Add(importRequest("9-9"))
	f.Add(append(importRequest("1-1"), make([]byte, 2*headerSize)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		ours, theirs := net.Pipe()
		s := NewServer(zerolog.Nop(), Virtual("1-1", d435i.Options{}, func() {}))
		go io.Copy(io.Discard, theirs)
		var client sync.WaitGroup
		client.Go(func() {
			_ = s.client(t.Context(), ours)
			ours.Close()
		})
		_, _ = theirs.Write(b)
		theirs.Close()
		client.Wait()
		if _, status := s.take("1-1", func() {}); status != statusDone {
			t.Errorf("the camera isn't free afterwards: status %d", status)
		}
	})
}

// FuzzSession sends what a host may send after an import.
func FuzzSession(f *testing.F) {
	f.Add(header(cmdSubmit, 1, 0, directionIn, 2, 0, 1024))
	f.Add(append(header(cmdSubmit, 1, 0, directionIn, 7, 0, 64), header(cmdUnlink, 2, 0, 0, 0, 1)...))
	control := header(cmdSubmit, 1, 0, 0, 0, 0, 1024)
	copy(control[40:], []byte{0x21, 1, 0, 1, 0, 3, 0, 4})
	command := make([]byte, 1024)
	copy(command, []byte{25, 0, 0xab, 0xcd, 0x7b, 0, 0, 0, 5})
	f.Add(append(control, command...))
	f.Fuzz(func(t *testing.T, b []byte) {
		ours, theirs := net.Pipe()
		cam := d435i.New(d435i.Options{})
		s := Attach(zerolog.Nop(), ours, cam, func() {})
		go io.Copy(io.Discard, theirs)
		_, _ = theirs.Write(b)
		theirs.Close()
		<-s.Done()
		cam.Unplug()
		s.Close()
	})
}
