package usbip

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver/d435i"
)

// Version and operations of the protocol before a device is imported.
const (
	version = 0x0111

	requestList   = 0x8005
	requestImport = 0x8003
	replyList     = 0x0005
	replyImport   = 0x0003

	statusDone = 0
	statusBusy = 2
	statusNone = 4 // no such device

	pathSize  = 256
	busIDSize = 32
)

// What clients may take before they have imported a camera.
const (
	maxClients   = 16
	clientMoment = 10 * time.Second // to say what they want
)

// Server offers one camera. Each import is a camera that has just been plugged in.
type Server struct {
	// BusID is the name by which hosts import the camera: "1-1".
	BusID string
	// Options are those of the camera. They change if a host turns advanced mode on or off.
	Options d435i.Options
	// Gone is called after a host has gone, or has reset the camera.
	Gone func()
	Log  zerolog.Logger

	mu       sync.Mutex // guards Options, too
	imported bool
	clients  sync.WaitGroup
}

// Serve answers clients until ctx is done or the listener fails. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer s.clients.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	places := make(chan struct{}, maxClients)
	for {
		places <- struct{}{}
		conn, err := l.Accept()
		if err != nil {
			_ = l.Close()
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		s.clients.Go(func() {
			defer func() { <-places }()
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			if err := s.client(ctx, conn); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
				s.Log.Warn().Err(err).Stringer("client", conn.RemoteAddr()).Msg("USB/IP client")
			}
		})
	}
}

// client answers one connection: a list, or an import and then its transfers.
func (s *Server) client(ctx context.Context, conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(clientMoment)); err != nil {
		return err
	}
	var head [8]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return err
	}
	if v := binary.BigEndian.Uint16(head[:]); v != version {
		return fmt.Errorf("USB/IP version %#x, want %#x", v, version)
	}
	switch op := binary.BigEndian.Uint16(head[2:]); op {
	case requestList:
		return s.list(conn)
	case requestImport:
		return s.attach(ctx, conn)
	default:
		return fmt.Errorf("USB/IP operation %#x", op)
	}
}

func reply(op uint16, status uint32) []byte {
	b := binary.BigEndian.AppendUint16(nil, version)
	b = binary.BigEndian.AppendUint16(b, op)
	return binary.BigEndian.AppendUint32(b, status)
}

func (s *Server) list(conn net.Conn) error {
	cam := s.plug()
	defer cam.Unplug()
	b := binary.BigEndian.AppendUint32(reply(replyList, statusDone), 1)
	b = append(b, s.describe(cam)...)
	config := cam.Configuration()
	for at := 0; at+9 <= len(config); at += int(config[at]) {
		const descInterface = 4
		if config[at+1] == descInterface {
			b = append(b, config[at+5], config[at+6], config[at+7], 0)
		}
	}
	_, err := conn.Write(b)
	return err
}

// describe is the protocol's description of a device.
func (s *Server) describe(cam *d435i.Camera) []byte {
	d, config := cam.DeviceDescriptor(), cam.Configuration()
	b := make([]byte, pathSize+busIDSize)
	copy(b[:pathSize-1], "/virtual/"+s.BusID)
	copy(b[pathSize:len(b)-1], s.BusID)
	speed := uint32(5) // as Linux numbers them: SuperSpeed
	if cam.Options().USB2 {
		speed = 3
	}
	for _, v := range []uint32{1, 2, speed} { // bus, device
		b = binary.BigEndian.AppendUint32(b, v)
	}
	for _, at := range []int{8, 10, 12} { // vendor, product, release
		b = binary.BigEndian.AppendUint16(b, binary.LittleEndian.Uint16(d[at:]))
	}
	return append(b, d[4], d[5], d[6], config[5], d[17], config[4])
}

// attach gives the camera to a host until it leaves, resets the camera, or ctx is done.
func (s *Server) attach(ctx context.Context, conn net.Conn) error {
	var id [busIDSize]byte
	if _, err := io.ReadFull(conn, id[:]); err != nil {
		return err
	}
	name, _, _ := bytes.Cut(id[:], []byte{0})
	status := uint32(statusDone)
	if string(name) != s.BusID {
		status = statusNone
	} else if !s.take() {
		status = statusBusy
	}
	if status != statusDone {
		_, err := conn.Write(reply(replyImport, status))
		return errors.Join(err, fmt.Errorf("import of %q: refused with status %d", name, status))
	}
	cam := s.plug()
	defer s.release(cam)
	if _, err := conn.Write(append(reply(replyImport, statusDone), s.describe(cam)...)); err != nil {
		return err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	s.Log.Info().Stringer("host", conn.RemoteAddr()).Msg("a host has attached the camera")
	reset := make(chan struct{}, 1)
	session := Attach(conn, cam, func() {
		select {
		case reset <- struct{}{}:
		default:
		}
	})
	select {
	case <-session.Done():
	case <-reset: // it leaves the bus; the host has to attach it again
	case <-ctx.Done():
	}
	cam.Unplug()
	session.Close()
	for _, v := range cam.Violations() {
		s.Log.Debug().Str("request", v).Msg("the host did what a camera refuses")
	}
	s.Log.Info().Stringer("host", conn.RemoteAddr()).Msg("the camera is free again")
	return nil
}

func (s *Server) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := !s.imported
	s.imported = true
	return free
}

func (s *Server) plug() *d435i.Camera {
	s.mu.Lock()
	defer s.mu.Unlock()
	return d435i.New(s.Options)
}

func (s *Server) release(cam *d435i.Camera) {
	cam.Unplug()
	s.Gone()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.imported, s.Options = false, cam.Options()
}
