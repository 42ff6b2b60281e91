package usbip

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/usbcam/d435i"
)

// Version and operations of the protocol before a device is imported.
const (
	version = 0x0111

	requestList   = 0x8005
	requestImport = 0x8003
	replyList     = 0x0005
	replyImport   = 0x0003

	statusDone = 0
	statusBusy = 2 // another host has the device
	statusNone = 4 // no such device

	pathSize  = 256
	busIDSize = 32
)

// Limits of clients.
const (
	maxClients     = 16               // connections, including those with an attached camera
	requestTimeout = 10 * time.Second // of a new client
)

// Port is a place where a camera is plugged in.
type Port struct {
	// BusID is the name by which hosts import the camera, such as "1-1".
	BusID string
	// Plug returns a newly plugged-in camera for each host that imports it.
	Plug func() Camera
	// Gone is called after the host has disconnected or reset the camera.
	Gone func(Camera)

	descriptors [2][]byte // device, configuration
	pulled      bool
	host        func() // disconnects the camera from its host; nil if no host has it
}

// Server offers cameras.
type Server struct {
	Log zerolog.Logger

	mu      sync.Mutex
	ports   []*Port
	clients sync.WaitGroup
}

// NewServer returns a server for the ports, with all cameras plugged in.
func NewServer(log zerolog.Logger, ports ...*Port) *Server {
	for _, p := range ports {
		cam := p.Plug()
		p.descriptors = [2][]byte{cam.DeviceDescriptor(), cam.Configuration()}
		cam.Unplug()
	}
	return &Server{Log: log, ports: ports}
}

// Virtual returns a port with a virtual D435i. gone is called after a host has disconnected.
func Virtual(busID string, o d435i.Options, gone func()) *Port {
	var mu sync.Mutex
	return &Port{
		BusID: busID,
		Plug: func() Camera {
			mu.Lock()
			defer mu.Unlock()
			return d435i.New(o)
		},
		Gone: func(c Camera) {
			mu.Lock()
			defer mu.Unlock()
			o = c.(*d435i.Camera).Options() // a host may have turned advanced mode on or off
			gone()
		},
	}
}

// SetPlugged plugs in or unplugs the cameras with the given bus ids, or all cameras if there are none. An unplugged
// camera disappears from its host and from the list. After it is plugged in again, the host has to import it again.
func (s *Server) SetPlugged(in bool, busIDs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.ports {
		if len(busIDs) > 0 && !slices.Contains(busIDs, p.BusID) {
			continue
		}
		p.pulled = !in
		if p.pulled && p.host != nil {
			p.host()
		}
	}
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
			defer contain(s.Log, conn)
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			if err := s.client(ctx, conn); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
				s.Log.Warn().Err(err).Stringer("client", conn.RemoteAddr()).Msg("USB/IP client")
			}
		})
	}
}

// contain, deferred, ends a client's connection if what the client sent caused a panic, which must
// not end the cameras of others.
func contain(log zerolog.Logger, conn net.Conn) {
	if v := recover(); v != nil {
		log.Error().Interface("panic", v).Bytes("stack", debug.Stack()).Stringer("client", conn.RemoteAddr()).
			Msg("disconnecting a USB/IP client after an internal error")
		_ = conn.Close()
	}
}

// client answers one connection: a list, or an import and then its transfers.
func (s *Server) client(ctx context.Context, conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
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
	var b []byte
	count := uint32(0)
	s.mu.Lock()
	for _, p := range s.ports {
		if !p.pulled {
			count++
			b = append(b, p.describe()...)
			b = append(b, p.interfaces()...)
		}
	}
	s.mu.Unlock()
	_, err := conn.Write(append(binary.BigEndian.AppendUint32(reply(replyList, statusDone), count), b...))
	return err
}

// interfaces returns the classes of a device's interfaces.
func (p *Port) interfaces() (b []byte) {
	const descInterface = 4
	d := p.descriptors[1]
	for len(d) >= 9 && int(d[0]) >= 2 && int(d[0]) <= len(d) {
		if d[1] == descInterface && d[0] >= 9 {
			b = append(b, d[5], d[6], d[7], 0)
		}
		d = d[d[0]:]
	}
	const most = 4 * 255
	return append(b, make([]byte, most)...)[:4*int(p.descriptors[1][4])] // the number in the configuration
}

// describe returns the protocol's description of a device.
func (p *Port) describe() []byte {
	d, config := p.descriptors[0], p.descriptors[1]
	b := make([]byte, pathSize+busIDSize)
	copy(b[:pathSize-1], "/virtual/"+p.BusID)
	copy(b[pathSize:len(b)-1], p.BusID)
	const usb3 = 0x0300
	speed := uint32(3) // as Linux numbers them: high speed, SuperSpeed
	if binary.LittleEndian.Uint16(d[2:]) >= usb3 {
		speed = 5
	}
	for _, v := range []uint32{1, 2, speed} { // bus, device
		b = binary.BigEndian.AppendUint32(b, v)
	}
	for _, at := range []int{8, 10, 12} { // vendor, product, release
		b = binary.BigEndian.AppendUint16(b, binary.LittleEndian.Uint16(d[at:]))
	}
	return append(b, d[4], d[5], d[6], config[5], d[17], config[4])
}

// attach attaches a camera to a host until the host disconnects or resets it, it is unplugged, or ctx is done.
func (s *Server) attach(ctx context.Context, conn net.Conn) error {
	var id [busIDSize]byte
	if _, err := io.ReadFull(conn, id[:]); err != nil {
		return err
	}
	name, _, _ := bytes.Cut(id[:], []byte{0})
	ctx, pull := context.WithCancel(ctx)
	defer pull()
	port, status := s.take(string(name), pull)
	if status != statusDone {
		s.Log.Debug().Bytes("camera", name).Uint32("status", status).Stringer("host", conn.RemoteAddr()).
			Msg("refused a host: the camera is in use, or there is none")
		_, err := conn.Write(reply(replyImport, status))
		return err
	}
	cam := port.Plug()
	defer s.release(port, cam)
	if _, err := conn.Write(append(reply(replyImport, statusDone), port.describe()...)); err != nil {
		return err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	log := s.Log.With().Str("camera", port.BusID).Stringer("host", conn.RemoteAddr()).Logger()
	log.Info().Msg("a host has attached the camera")
	reset := make(chan struct{}, 1)
	session := Attach(log, conn, cam, func() {
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
		log.Debug().Str("request", v).Msg("the host did what a camera refuses")
	}
	return nil
}

// take reserves a camera for a host. pull disconnects it.
func (s *Server) take(busID string, pull func()) (*Port, uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.ports, func(p *Port) bool { return p.BusID == busID && !p.pulled })
	if i < 0 {
		return nil, statusNone
	}
	p := s.ports[i]
	if p.host != nil {
		return nil, statusBusy
	}
	p.host = pull
	return p, statusDone
}

func (s *Server) release(p *Port, cam Camera) {
	cam.Unplug()
	p.Gone(cam)
	s.mu.Lock()
	defer s.mu.Unlock()
	p.host = nil
	s.Log.Info().Str("camera", p.BusID).Msg("the camera is free again")
}
