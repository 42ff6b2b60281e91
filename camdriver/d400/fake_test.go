package d400

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/camdriver"
	"rsros/camdriver/usb"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(os.Exit))
}

var (
	serial = [6]byte{0x84, 0x39, 0x22, 0x07, 0x11, 0x05}
	asic   = [6]byte{0x84, 0x79, 0x13, 0x07, 0x08, 0x22}
)

const serialText = "843922071105"

// fakeBus is a Bus with virtual cameras. before, if set, is called before each operation
// and may make it fail.
type fakeBus struct {
	t *testing.T

	mu      sync.Mutex
	slots   []*slot
	address int
	before  func(op string) error
	sent    func(d435i.Setup, []byte) // called with each control request and its OUT data, if set
	faults  map[uint8]readFault       // of endpoints
	stalls  int                       // number of control requests to stall, as a busy camera does
	unnamed bool                      // the kernel knows no serial numbers
	handles int                       // open
	streams int                       // in flight
}

// readFault changes what a Read returns until the endpoint is cleared, or, if it is once, the next payload only.
type readFault struct {
	once bool
	read func(ctx context.Context, payload []byte) ([]byte, error)
}

// spoil returns a fault that passes the next payload through f.
func spoil(f func([]byte) []byte) readFault {
	return readFault{true, func(_ context.Context, b []byte) ([]byte, error) { return f(b), nil }}
}

// fault adds a fault of an endpoint.
func (b *fakeBus) fault(endpoint uint8, f readFault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults[endpoint] = f
}

// takeFault returns a fault of an endpoint, if there is one.
func (b *fakeBus) takeFault(endpoint uint8) (readFault, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.faults[endpoint]
	if f.once {
		delete(b.faults, endpoint)
	}
	return f, ok
}

// slot is a port with a camera that can be unplugged and plugged in.
type slot struct {
	opt    d435i.Options
	port   string
	dev    usb.Device
	cam    *d435i.Camera // nil while unplugged
	opened bool
	opens  int
	refuse error // returned by Open
}

func newFakeBus(t *testing.T, options ...d435i.Options) *fakeBus {
	b := &fakeBus{t: t, faults: map[uint8]readFault{}}
	if options == nil {
		options = []d435i.Options{{}}
	}
	for i, o := range options {
		if o.Serial == [6]byte{} {
			o.Serial, o.ASICSerial = serial, asic
		}
		b.slots = append(b.slots, &slot{opt: o, port: fmt.Sprintf("2-%d", i+1)})
		b.plug(i)
	}
	t.Cleanup(func() {
		for i := range b.slots {
			b.unplug(i)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.handles != 0 || b.streams != 0 {
			t.Errorf("%d handles and %d streams were not closed", b.handles, b.streams)
		}
	})
	return b
}

func (b *fakeBus) plug(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.slots[i]
	b.address++
	product, spec := cmp.Or(s.opt.Product, 0x0b3a), uint16(0x0320)
	if s.opt.USB2 {
		spec = 0x0210
	}
	s.cam = d435i.New(s.opt)
	s.dev = usb.Device{Product: product, Bus: 2, Address: b.address, Port: s.port, Spec: spec}
	if !b.unnamed {
		s.dev.Serial = s.opt.ASICSerial.String()
	}
}

func (b *fakeBus) unplug(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cam := b.slots[i].cam; cam != nil {
		cam.Unplug()
		for _, v := range cam.Violations() {
			b.t.Errorf("protocol violation: %s", v)
		}
		b.slots[i].cam = nil
	}
}

// replugAll unplugs and plugs in all cameras.
func (b *fakeBus) replugAll() {
	for i := range b.slots {
		b.unplug(i)
	}
	for i := range b.slots {
		b.plug(i)
	}
}

func (b *fakeBus) camera(i int) *d435i.Camera {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.slots[i].cam
}

// hook sets before.
func (b *fakeBus) hook(f func(op string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before = f
}

func (b *fakeBus) step(op string) error {
	b.mu.Lock()
	f := b.before
	b.mu.Unlock()
	if f == nil {
		return nil
	}
	return f(op)
}

func (b *fakeBus) Scan(context.Context) ([]usb.Device, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []usb.Device
	for _, s := range b.slots {
		if s.cam != nil {
			list = append(list, s.dev)
		}
	}
	return list, nil
}

func (b *fakeBus) Open(dev usb.Device) (usb.Handle, error) {
	if err := b.step("open"); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, s := range b.slots {
		switch {
		case s.cam == nil || s.dev != dev:
		case s.refuse != nil:
			return nil, s.refuse
		case s.opened:
			return nil, usb.ErrInUse
		default:
			s.opened = true
			s.opens++
			b.handles++
			return &fakeHandle{bus: b, slot: s, number: i, cam: s.cam}, nil
		}
	}
	return nil, camdriver.ErrUnplugged
}

type fakeHandle struct {
	bus    *fakeBus
	slot   *slot
	number int
	cam    *d435i.Camera
	closed bool
	calls  int // running
}

// enter counts a call until leave. The handle must not be closed before or during it.
func (h *fakeHandle) enter(op string) (leave func()) {
	h.bus.mu.Lock()
	defer h.bus.mu.Unlock()
	if h.closed {
		h.bus.t.Errorf("%s on a closed handle", op)
	}
	h.calls++
	return func() {
		h.bus.mu.Lock()
		h.calls--
		h.bus.mu.Unlock()
	}
}

// translate converts the camera's errors to those of this package.
func translate(err error) error {
	switch {
	case errors.Is(err, d435i.ErrStall):
		return usb.ErrStall
	case errors.Is(err, d435i.ErrGone):
		return camdriver.ErrUnplugged
	}
	return err
}

func (h *fakeHandle) Control(requestType, request uint8, value, index uint16, data []byte) (int, error) {
	defer h.enter("control transfer")()
	if err := h.bus.step(fmt.Sprintf("control %02x %02x %04x %04x", requestType, request, value, index)); err != nil {
		return 0, err
	}
	s := d435i.Setup{RequestType: requestType, Request: request, Value: value, Index: index, Length: uint16(len(data))}
	in := requestType&0x80 != 0
	h.bus.mu.Lock()
	sent, busy := h.bus.sent, h.bus.stalls > 0
	h.bus.stalls = max(h.bus.stalls-1, 0)
	h.bus.mu.Unlock()
	if busy {
		return 0, usb.ErrStall
	}
	if sent != nil && in {
		sent(s, nil)
	} else if sent != nil {
		sent(s, data)
	}
	if !in {
		before := h.cam.Resets()
		_, err := h.cam.Control(s, data)
		if h.cam.Resets() > before {
			go h.bus.replug(h.number, h.cam)
		}
		return len(data), translate(err)
	}
	answer, err := h.cam.Control(s, nil)
	return copy(data, answer), translate(err)
}

// replug reconnects a reset camera.
func (b *fakeBus) replug(i int, cam *d435i.Camera) {
	if b.camera(i) == cam {
		b.unplug(i)
		b.slots[i].opt = cam.Options()
		b.plug(i)
	}
}

func (h *fakeHandle) ClearHalt(endpoint uint8) error {
	defer h.enter("ClearHalt")()
	if err := h.bus.step(fmt.Sprintf("clear %02x", endpoint)); err != nil {
		return err
	}
	h.bus.mu.Lock()
	delete(h.bus.faults, endpoint)
	h.bus.mu.Unlock()
	_, err := h.cam.Control(d435i.Setup{RequestType: 2, Request: 1, Index: uint16(endpoint)}, nil)
	return translate(err)
}

func (h *fakeHandle) Stream(_, endpoint uint8, size, count int) (usb.Stream, error) {
	defer h.enter("Stream")()
	if err := h.bus.step(fmt.Sprintf("stream %02x", endpoint)); err != nil {
		return nil, err
	}
	if count < 1 || size < 32 {
		h.bus.t.Errorf("stream of %d transfers of %d bytes", count, size)
	}
	h.bus.mu.Lock()
	h.bus.streams++
	h.bus.mu.Unlock()
	return &fakeStream{h: h, endpoint: endpoint, size: size, last: time.Now()}, nil
}

func (h *fakeHandle) Close() error {
	h.bus.mu.Lock()
	defer h.bus.mu.Unlock()
	if h.closed {
		h.bus.t.Error("handle closed twice")
	}
	if h.calls > 0 {
		h.bus.t.Errorf("handle closed during %d calls", h.calls)
	}
	h.closed, h.slot.opened = true, false
	h.bus.handles--
	return nil
}

type fakeStream struct {
	h        *fakeHandle
	endpoint uint8
	size     int
	dead     bool
	closed   bool
	last     time.Time // end of the last Read
}

// lateRead is the time after a Read when the next transfer is certainly complete.
const lateRead = 100 * time.Millisecond

func (s *fakeStream) Read(ctx context.Context, p []byte) (int, error) {
	if s.dead || s.closed || len(p) != s.size {
		s.h.bus.t.Errorf("Read of %d bytes from a stream of %d (dead %v, closed %v)", len(p), s.size, s.dead, s.closed)
		return 0, errors.New("misused stream")
	}
	if err := s.h.bus.step(fmt.Sprintf("read %02x", s.endpoint)); err != nil {
		s.dead = true
		return 0, err
	}
	caller := ctx
	if since := time.Since(s.last); since >= lateRead && s.endpoint != 0x87 { // like gousb, return a completed transfer
		ctx = context.WithoutCancel(ctx)
	}
	b, err := s.h.cam.Read(ctx, s.endpoint)
	for err == nil {
		f, ok := s.h.bus.takeFault(s.endpoint)
		if !ok {
			break
		}
		if b, err = f.read(caller, b); b == nil && err == nil {
			b, err = s.h.cam.Read(ctx, s.endpoint)
		}
	}
	s.last = time.Now()
	if err != nil {
		s.dead = true
		return 0, translate(err)
	}
	return copy(p, b), nil
}

func (s *fakeStream) Close() {
	s.h.bus.mu.Lock()
	defer s.h.bus.mu.Unlock()
	if !s.closed {
		s.h.bus.streams--
	}
	s.closed = true
}

// small returns the smallest profile at 30 Hz of each stream that is on by default, in its default format, and the defaults of
// inertial sensors. The race detector makes large images slow.
func small(s camdriver.Sensor) (list []camdriver.Profile) {
	for _, p := range s.Profiles() {
		if !p.Default || p.Stream == camdriver.RightStream {
			continue
		}
		best := p
		for _, q := range s.Profiles() {
			if q.Stream == p.Stream && q.Format == p.Format && q.FPS == 30 && q.Width*q.Height < best.Width*best.Height {
				best = q
			}
		}
		list = append(list, best)
	}
	return list
}

// openFake opens the first camera of a bus and closes it at the end of the test.
func openFake(t *testing.T, b *fakeBus) *Device {
	t.Helper()
	d, err := OpenOn(t.Context(), b, Selector{}, Options{Log: zerolog.New(zerolog.NewTestWriter(t))})
	need.Must(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}
