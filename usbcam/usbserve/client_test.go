package usbserve

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/usb"
)

// client is a usb.Bus whose devices are imported from a USB/IP server, as Linux's vhci_hcd does.
type client struct {
	address string
	devices []usb.Device // whose ports are bus ids
	lost    atomic.Int32 // devices that have left the bus
}

// dial lists the server's devices.
func dial(address string) (*client, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte{1, 0x11, 0x80, 5, 0, 0, 0, 0}); err != nil {
		return nil, err
	}
	var head [12]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	c := &client{address: address}
	for range binary.BigEndian.Uint32(head[8:]) {
		var b [312]byte
		if _, err := io.ReadFull(conn, b[:]); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(conn, make([]byte, 4*int(b[311]))); err != nil {
			return nil, err
		}
		name, _, _ := bytes.Cut(b[256:288], []byte{0})
		spec := uint16(0x0320)
		if binary.BigEndian.Uint32(b[296:]) < 5 {
			spec = 0x0210
		}
		c.devices = append(c.devices, usb.Device{Product: binary.BigEndian.Uint16(b[302:]), Bus: 1, Address: 2, Port: string(name), Spec: spec})
	}
	return c, nil
}

// Scan lists again: a camera that was plugged in is a new device.
func (c *client) Scan(context.Context) ([]usb.Device, error) {
	lost := int(c.lost.Load())
	now, err := dial(c.address)
	if err != nil {
		return nil, nil // the server has gone, and its cameras with it
	}
	for i := range now.devices {
		now.devices[i].Address += lost
	}
	return now.devices, nil
}

// attach imports a device and returns the status of the server's answer.
func (c *client) attach(busID string) (net.Conn, uint8, error) {
	conn, err := net.Dial("tcp", c.address)
	if err != nil {
		return nil, 0, camdriver.ErrUnplugged
	}
	request := append([]byte{1, 0x11, 0x80, 3, 0, 0, 0, 0}, make([]byte, 32)...)
	copy(request[8:], busID)
	if _, err := conn.Write(request); err != nil {
		return nil, 0, errors.Join(err, conn.Close())
	}
	var head [8]byte
	_, err = io.ReadFull(conn, head[:])
	if err == nil && head[7] == 0 {
		_, err = io.ReadFull(conn, make([]byte, 312))
	}
	if err != nil || head[7] != 0 {
		err = errors.Join(err, conn.Close())
	}
	return conn, head[7], err
}

func (c *client) Open(dev usb.Device) (usb.Handle, error) {
	conn, status, err := c.attach(dev.Port)
	switch {
	case err != nil:
		return nil, err
	case status == 2:
		return nil, usb.ErrInUse
	case status != 0:
		return nil, camdriver.ErrUnplugged
	}
	h := &importedDevice{conn: conn, gone: make(chan struct{})}
	go func() {
		h.read()
		c.lost.Add(1)
		close(h.gone)
	}()
	return h, nil
}

// importedDevice is an imported device.
type importedDevice struct {
	conn    net.Conn
	write   sync.Mutex
	seq     atomic.Uint32
	waiting sync.Map      // of transfers' numbers to chan answer
	gone    chan struct{} // closed when the device has gone
}

type answer struct {
	data   []byte
	length int
	status int32
}

// read passes answers on until the device has gone.
func (h *importedDevice) read() {
	for {
		var head [48]byte
		if _, err := io.ReadFull(h.conn, head[:]); err != nil {
			return
		}
		if binary.BigEndian.Uint32(head[0:]) != 3 {
			continue
		}
		a := answer{length: int(binary.BigEndian.Uint32(head[24:])), status: int32(binary.BigEndian.Uint32(head[20:]))}
		seq := binary.BigEndian.Uint32(head[4:])
		if seq&1 == 1 {
			a.data = make([]byte, a.length)
		}
		if _, err := io.ReadFull(h.conn, a.data); err != nil {
			return
		}
		if done, ok := h.waiting.LoadAndDelete(seq); ok {
			done.(chan answer) <- a
		}
	}
}

// submit sends a transfer. Sequence numbers of IN transfers are odd.
func (h *importedDevice) submit(endpoint uint32, setup [8]byte, in bool, length int, out []byte) (transfer, error) {
	t := transfer{seq: h.seq.Add(2), done: make(chan answer, 1)}
	if in {
		t.seq |= 1
	}
	h.waiting.Store(t.seq, t.done)
	b := make([]byte, 48)
	for i, v := range []uint32{1, t.seq, 1<<16 | 2, t.seq & 1, endpoint, 0, uint32(length), 0, 0xffffffff} {
		binary.BigEndian.PutUint32(b[4*i:], v)
	}
	copy(b[40:], setup[:])
	h.write.Lock()
	defer h.write.Unlock()
	if _, err := h.conn.Write(append(b, out...)); err != nil {
		return t, camdriver.ErrUnplugged
	}
	return t, nil
}

// wait returns the answer to a transfer.
func (h *importedDevice) wait(ctx context.Context, t transfer) (a answer, err error) {
	select {
	case a = <-t.done:
		return a, failure(a.status)
	case <-h.gone:
		return a, camdriver.ErrUnplugged
	case <-ctx.Done():
		return a, ctx.Err()
	}
}

func failure(status int32) error {
	switch status {
	case 0:
		return nil
	case -32:
		return usb.ErrStall
	}
	return camdriver.ErrUnplugged
}

func (h *importedDevice) Control(requestType, request uint8, value, index uint16, data []byte) (int, error) {
	setup := [8]byte{requestType, request, byte(value), byte(value >> 8), byte(index), byte(index >> 8), byte(len(data)), byte(len(data) >> 8)}
	in := requestType&0x80 != 0
	var out []byte
	if !in {
		out = data
	}
	t, err := h.submit(0, setup, in, len(data), out)
	if err != nil {
		return 0, err
	}
	a, err := h.wait(context.Background(), t)
	copy(data, a.data)
	return a.length, err
}

func (h *importedDevice) ClearHalt(endpoint uint8) error {
	_, err := h.Control(2, 1, 0, uint16(endpoint), nil)
	return err
}

func (h *importedDevice) Close() error { return h.conn.Close() }

func (h *importedDevice) Stream(_, endpoint uint8, size, count int) (usb.Stream, error) {
	s := &importedStream{h: h, endpoint: endpoint, size: size}
	for range count {
		if err := s.submit(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

type importedStream struct {
	h        *importedDevice
	endpoint uint8
	size     int
	flight   []transfer
}

type transfer struct {
	seq  uint32
	done chan answer
}

func (s *importedStream) submit() error {
	t, err := s.h.submit(uint32(s.endpoint&0x0f), [8]byte{}, true, s.size, nil)
	s.flight = append(s.flight, t)
	return err
}

func (s *importedStream) Read(ctx context.Context, p []byte) (int, error) {
	if len(s.flight) == 0 {
		return 0, camdriver.ErrUnplugged
	}
	a, err := s.h.wait(ctx, s.flight[0])
	if err != nil {
		s.Close()
		return 0, err
	}
	s.flight = s.flight[1:]
	return copy(p, a.data), s.submit()
}

// Close unlinks the transfers in flight.
func (s *importedStream) Close() {
	for _, t := range s.flight {
		b := make([]byte, 48)
		binary.BigEndian.PutUint32(b[0:], 2)
		binary.BigEndian.PutUint32(b[4:], 0xfffffffe)
		binary.BigEndian.PutUint32(b[20:], t.seq)
		s.h.write.Lock()
		_, _ = s.h.conn.Write(b)
		s.h.write.Unlock()
		s.h.waiting.Delete(t.seq)
	}
	s.flight = nil
}
