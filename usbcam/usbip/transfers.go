// Package usbip serves virtual cameras by the USB/IP protocol of Linux.
package usbip

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/usbcam/d435i"
)

// Commands of the protocol; all numbers on the wire are big-endian.
const (
	cmdSubmit = 1
	cmdUnlink = 2
	retSubmit = 3
	retUnlink = 4

	headerSize   = 48
	directionIn  = 1
	clearFeature = 1 // a standard request
)

// Linux' error numbers, which the protocol carries negated.
const (
	errorPipe      = 32 // stall
	errorConnReset = 104
	errorShutdown  = 108
)

// Limits of a host's requests. Exceeding one ends the session.
const (
	maxTransfer = 64 << 20
	maxSent     = 64 << 10
	maxWaiting  = 1024 // transfers on an endpoint

	writeTimeout = 30 * time.Second // of a reply
)

// Device is the camera of a session: a d435i.Camera, or one that is watched. Its methods may be called from any
// goroutine.
type Device interface {
	// Control carries out a control request. out is the data of an OUT request. The error is d435i.ErrStall or
	// d435i.ErrGone.
	Control(s d435i.Setup, out []byte) ([]byte, error)
	// Read waits for the next transfer of an IN endpoint and returns it, valid until the next Read of that endpoint.
	Read(ctx context.Context, endpoint uint8) ([]byte, error)
	// Resets returns the number of resets that hosts requested; after one, the device has to be unplugged.
	Resets() int
}

// Camera is a device that a server offers.
type Camera interface {
	Device
	// DeviceDescriptor and Configuration return descriptors, which don't change.
	DeviceDescriptor() []byte
	Configuration() []byte
	// Violations lists the host's invalid requests.
	Violations() []string
	// Unplug makes everything pending and everything later fail with d435i.ErrGone.
	Unplug()
}

// resetDelay is how long a camera that is reset stays on the bus, so that the host can read the reply to its command.
const resetDelay = 200 * time.Millisecond

// Session carries the transfers of an attached camera.
type Session struct {
	log   zerolog.Logger
	cam   Device
	conn  net.Conn
	ctx   context.Context
	end   context.CancelFunc
	work  sync.WaitGroup
	done  chan struct{}
	reset func() // called once when the host has reset the camera

	// write is held from the moment a request is taken off its queue until it is
	// answered: an unlinked request must not be answered afterwards.
	write sync.Mutex

	mu        sync.Mutex
	endpoints map[uint8]*queue
}

// request is one URB of the host.
type request struct {
	seq    uint32
	length int
}

// queue holds the requests that wait on one IN endpoint, oldest first.
type queue struct {
	waiting []request
	more    chan struct{}      // capacity 1: a request was added
	give    context.CancelFunc // ends the camera's read when no request waits
	clears  int                // how often the host has cleared the endpoint
}

// Attach serves the transfers of a host that has imported the camera. reset is called
// once, in its own goroutine, after the host has reset the camera.
func Attach(log zerolog.Logger, conn net.Conn, cam Device, reset func()) *Session {
	s := &Session{log: log, cam: cam, conn: conn, reset: reset, done: make(chan struct{}),
		endpoints: make(map[uint8]*queue)}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.work.Go(s.read)
	return s
}

// Done is closed when the host has disconnected.
func (s *Session) Done() <-chan struct{} { return s.done }

// Close ends the session; the host sees the device disappear.
func (s *Session) Close() {
	s.end()
	_ = s.conn.Close() // the reader gets the error
	s.work.Wait()
}

// read reads the host's commands until the connection ends.
func (s *Session) read() {
	defer close(s.done)
	defer s.conn.Close() // also after an unknown command
	defer s.end()
	defer contain(s.log, s.conn)
	head := make([]byte, headerSize)
	for {
		if _, err := io.ReadFull(s.conn, head); err != nil {
			return
		}
		var err error
		switch command := binary.BigEndian.Uint32(head); command {
		case cmdSubmit:
			err = s.submit(head)
		case cmdUnlink:
			err = s.unlink(head)
		default:
			err = fmt.Errorf("USB/IP command %d", command)
		}
		if err != nil {
			return
		}
	}
}

func (s *Session) submit(head []byte) error {
	seq := binary.BigEndian.Uint32(head[4:])
	in := binary.BigEndian.Uint32(head[12:]) == directionIn
	endpoint := binary.BigEndian.Uint32(head[16:])
	length := int64(binary.BigEndian.Uint32(head[24:]))
	limit := int64(maxTransfer)
	if !in {
		limit = maxSent
	}
	if length > limit || endpoint > 15 {
		return fmt.Errorf("transfer of %d bytes on endpoint %d", length, endpoint)
	}
	if packets := binary.BigEndian.Uint32(head[32:]); packets != 0 && packets != 0xffffffff {
		return fmt.Errorf("isochronous transfer of %d packets", packets)
	}
	number := uint8(endpoint)
	var out []byte
	if !in {
		out = make([]byte, length)
		if _, err := io.ReadFull(s.conn, out); err != nil {
			return err
		}
	}
	if number == 0 {
		return s.control(seq, head[40:48], out, int(length))
	}
	if !in {
		s.write.Lock()
		defer s.write.Unlock()
		return s.answer(seq, in, nil, d435i.ErrStall)
	}
	return s.enqueue(number|0x80, request{seq, int(length)})
}

func (s *Session) control(seq uint32, b, out []byte, room int) error {
	setup := d435i.Setup{
		RequestType: b[0], Request: b[1], Value: binary.LittleEndian.Uint16(b[2:]),
		Index: binary.LittleEndian.Uint16(b[4:]), Length: binary.LittleEndian.Uint16(b[6:]),
	}
	before := s.cam.Resets()
	in, err := s.cam.Control(setup, out)
	in = in[:min(len(in), room)]
	if setup.RequestType == 0x02 && setup.Request == clearFeature {
		s.cleared(uint8(setup.Index))
	}
	s.write.Lock()
	defer s.write.Unlock()
	answered := s.answer(seq, setup.RequestType&0x80 != 0, in, err, len(out))
	if s.cam.Resets() != before {
		go s.leave()
	}
	return answered
}

// cleared discards what was read of an endpoint before the host cleared it.
func (s *Session) cleared(endpoint uint8) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.endpoints[endpoint]; q != nil {
		q.clears++
	}
}

// leave resets the camera after resetDelay, unless the host disconnects first.
func (s *Session) leave() {
	select {
	case <-time.After(resetDelay):
		s.reset()
	case <-s.ctx.Done():
	}
}

// answer completes a transfer. sent is the number of bytes of OUT data that were taken. The caller must hold write.
func (s *Session) answer(seq uint32, in bool, data []byte, err error, sent ...int) error {
	head := make([]byte, headerSize)
	binary.BigEndian.PutUint32(head[0:], retSubmit)
	binary.BigEndian.PutUint32(head[4:], seq)
	length := len(data)
	if !in && len(sent) > 0 {
		length = sent[0]
	}
	if err != nil {
		data, length = nil, 0
		binary.BigEndian.PutUint32(head[20:], errno(err))
	}
	binary.BigEndian.PutUint32(head[24:], uint32(length))
	return s.send(head, data)
}

// send writes a reply. An error ends the session. The caller must hold write.
func (s *Session) send(head, data []byte) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := (&net.Buffers{head, data}).WriteTo(s.conn)
	if err != nil {
		_ = s.conn.Close() // a part of the reply may have been sent
	}
	return err
}

// errno returns the negative error number for err.
func errno(err error) uint32 {
	number := int32(errorPipe)
	if errors.Is(err, d435i.ErrGone) {
		number = errorShutdown
	}
	return uint32(-number)
}

func (s *Session) enqueue(endpoint uint8, r request) error {
	s.mu.Lock()
	q := s.endpoints[endpoint]
	if q == nil {
		q = &queue{more: make(chan struct{}, 1)}
		s.endpoints[endpoint] = q
		s.work.Go(func() { s.pump(endpoint, q) })
	}
	q.waiting = append(q.waiting, r)
	many := len(q.waiting) > maxWaiting
	s.mu.Unlock()
	if many {
		return fmt.Errorf("more than %d transfers wait on endpoint %#x", maxWaiting, endpoint)
	}
	select {
	case q.more <- struct{}{}:
	default:
	}
	return nil
}

// pump reads an endpoint's payloads and answers the waiting requests with them. A payload whose
// request was withdrawn meanwhile is for the next request, unless the host has cleared the endpoint.
func (s *Session) pump(endpoint uint8, q *queue) {
	defer contain(s.log, s.conn)
	var b []byte
	var err error
	read := false // b and err aren't delivered
	clears := 0
	for {
		ctx, now, ok := s.awaited(q)
		if !ok {
			select {
			case <-q.more:
				continue
			case <-s.ctx.Done():
				return
			}
		}
		if !read || now != clears {
			clears = now
			b, err = s.cam.Read(ctx, endpoint)
			if err != nil && ctx.Err() != nil && s.ctx.Err() == nil {
				continue // the requests were withdrawn
			}
		}
		if s.ctx.Err() != nil || errors.Is(err, d435i.ErrGone) {
			return
		}
		delivered, failed := s.deliver(q, clears, b, err)
		if failed != nil {
			return
		}
		read = !delivered
	}
}

// deliver answers the oldest request of a queue with as many bytes as it has room for. It returns
// false if no request waits or the endpoint was cleared.
func (s *Session) deliver(q *queue, clears int, b []byte, err error) (bool, error) {
	s.write.Lock()
	defer s.write.Unlock()
	s.mu.Lock()
	q.give()
	if len(q.waiting) == 0 || q.clears != clears {
		s.mu.Unlock()
		return false, nil
	}
	r := q.waiting[0]
	q.waiting = q.waiting[1:]
	s.mu.Unlock()
	return true, s.answer(r.seq, true, b[:min(len(b), r.length)], err)
}

// awaited returns a context that lasts while requests wait, and how often the endpoint was cleared,
// or false if no request waits.
func (s *Session) awaited(q *queue) (ctx context.Context, clears int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil, 0, false
	}
	ctx, q.give = context.WithCancel(s.ctx)
	return ctx, q.clears, true
}

// unlink withdraws a request that still waits.
func (s *Session) unlink(head []byte) error {
	victim := binary.BigEndian.Uint32(head[20:])
	reply := make([]byte, headerSize)
	binary.BigEndian.PutUint32(reply[0:], retUnlink)
	copy(reply[4:8], head[4:8])
	s.write.Lock()
	defer s.write.Unlock()
	if s.withdraw(victim) {
		gone := int32(-errorConnReset)
		binary.BigEndian.PutUint32(reply[20:], uint32(gone))
	}
	return s.send(reply, nil)
}

func (s *Session) withdraw(seq uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.endpoints {
		i := slices.IndexFunc(q.waiting, func(r request) bool { return r.seq == seq })
		if i < 0 {
			continue
		}
		q.waiting = slices.Delete(q.waiting, i, i+1)
		if len(q.waiting) == 0 && q.give != nil {
			q.give()
		}
		return true
	}
	return false
}
