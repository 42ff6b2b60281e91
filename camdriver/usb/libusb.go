//go:build usb && cgo

package usb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/gousb"

	"rsros/camdriver"
	"rsros/program/localfile"
)

// controlTimeout bounds a control transfer.
const controlTimeout = time.Second

// Available tells whether this build has libusb.
const Available = true

// System returns the system's bus. It finds the devices of the given vendors.
func System(vendors ...uint16) Bus { return gousbBus{vendors} }

// gousbBus implements Bus with gousb. Each scan and each open device has its own libusb context, because without udev,
// as in containers, a context doesn't see devices that are plugged in later.
type gousbBus struct{ vendors []uint16 }

// newContext calls gousb.NewContext and converts its panic to an error.
func newContext() (c *gousb.Context, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("start libusb: %v", r)
		}
	}()
	return gousb.NewContext(), nil
}

func (b gousbBus) Scan(ctx context.Context) (list []Device, err error) {
	c, err := newContext()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	// Nothing is opened. An error means that some device, not necessarily a camera, could not be read.
	_, _ = c.OpenDevices(func(d *gousb.DeviceDesc) bool {
		if slices.Contains(b.vendors, uint16(d.Vendor)) {
			list = append(list, describeDevice(d))
		}
		return false
	})
	slices.SortFunc(list, func(a, b Device) int { return strings.Compare(a.Port, b.Port) })
	return list, ctx.Err()
}

func describeDevice(d *gousb.DeviceDesc) Device {
	var ports []string
	for _, p := range d.Path {
		ports = append(ports, strconv.Itoa(p))
	}
	port := fmt.Sprintf("%d-%s", d.Bus, strings.Join(ports, "."))
	// Linux has read the string, so the device needn't be opened for it.
	serial, _ := localfile.Read(filepath.Join("/sys/bus/usb/devices", port, "serial"), 256)
	return Device{
		Product: uint16(d.Product), Bus: d.Bus, Address: d.Address, Spec: uint16(d.Spec), Speed: d.Speed.String(),
		Port: port, Serial: strings.TrimSpace(string(serial)),
	}
}

func (b gousbBus) Open(dev Device) (Handle, error) {
	c, err := newContext()
	if err != nil {
		return nil, err
	}
	found, err := c.OpenDevices(func(d *gousb.DeviceDesc) bool {
		return slices.Contains(b.vendors, uint16(d.Vendor)) && describeDevice(d) == dev
	})
	if len(found) == 0 {
		if err == nil {
			err = camdriver.ErrUnplugged
		}
		return nil, errors.Join(fmt.Errorf("open %s: %w", node(dev), usbError(err)), c.Close())
	}
	h := &gousbHandle{context: c, dev: found[0], interfaces: make(map[uint8]*gousb.Interface)}
	if err := h.claim(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", node(dev), usbError(err)), h.Close())
	}
	return h, nil
}

// node returns the path of a device file.
func node(d Device) string { return fmt.Sprintf("/dev/bus/usb/%03d/%03d", d.Bus, d.Address) }

// gousbHandle is an open device with all interfaces claimed.
type gousbHandle struct {
	context    *gousb.Context
	dev        *gousb.Device
	config     *gousb.Config
	interfaces map[uint8]*gousb.Interface
}

// claim detaches the kernel's drivers and claims all interfaces.
func (h *gousbHandle) claim() error {
	h.dev.ControlTimeout = controlTimeout
	if err := h.dev.SetAutoDetach(true); err != nil {
		return err
	}
	number, err := h.dev.ActiveConfigNum()
	if err != nil {
		return err
	}
	if h.config, err = h.dev.Config(number); err != nil {
		return err
	}
	for _, desc := range h.config.Desc.Interfaces {
		if len(desc.AltSettings) == 0 {
			continue
		}
		i, err := h.config.Interface(desc.Number, desc.AltSettings[0].Alternate)
		if err != nil {
			return err
		}
		h.interfaces[uint8(desc.Number)] = i
	}
	return nil
}

func (h *gousbHandle) Control(requestType, request uint8, value, index uint16, data []byte) (int, error) {
	n, err := h.dev.Control(requestType, request, value, index, data)
	return max(n, 0), usbError(err) // with an error, gousb returns libusb's negative code
}

func (h *gousbHandle) ClearHalt(endpoint uint8) error { return usbError(clearHalt(h.dev, endpoint)) }

func (h *gousbHandle) Stream(iface, endpoint uint8, size, count int) (Stream, error) {
	i := h.interfaces[iface]
	if i == nil {
		return nil, fmt.Errorf("interface %d: %w", iface, camdriver.ErrNotFound)
	}
	in, err := i.InEndpoint(int(endpoint & 0x0f))
	if err != nil {
		return nil, usbError(err)
	}
	s, err := in.NewStream(size, count)
	if err != nil {
		return nil, usbError(err)
	}
	return &gousbStream{s: s, size: size}, nil
}

// videoControl is the subclass of the video class's control interfaces.
const videoControl = 1

// Close releases the control interfaces last, as uvcvideo requires.
func (h *gousbHandle) Close() error {
	for _, control := range []bool{false, true} {
		for _, i := range h.interfaces {
			if control == (i.Setting.Class == gousb.ClassVideo && i.Setting.SubClass == videoControl) {
				i.Close()
			}
		}
	}
	clear(h.interfaces)
	var errs []error
	if h.config != nil {
		errs = append(errs, h.config.Close())
	}
	return errors.Join(append(errs, h.dev.Close(), h.context.Close())...)
}

// gousbStream cancels its transfers with a canceled read, the only way to wait for them.
type gousbStream struct {
	s    *gousb.ReadStream
	size int
	dead bool
}

func (s *gousbStream) Read(ctx context.Context, p []byte) (int, error) {
	n, err := s.s.ReadContext(ctx, p)
	if err != nil {
		s.dead = true
		if cause := context.Cause(ctx); cause != nil {
			return 0, cause
		}
	}
	return n, usbError(err)
}

func (s *gousbStream) Close() {
	if s.dead {
		return
	}
	s.dead = true
	_ = s.s.Close() // submits no more transfers
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	scratch := make([]byte, s.size) // for transfers that are already complete
	for {
		if _, err := s.s.ReadContext(ctx, scratch); err != nil {
			return
		}
	}
}

// usbError converts libusb's errors to those of this package. gousb doesn't wrap some
// errors, so their texts are compared as well.
func usbError(err error) error {
	if err == nil {
		return nil
	}
	for _, e := range []struct{ libusb, ours error }{
		{gousb.ErrorPipe, ErrStall},
		{gousb.TransferStall, ErrStall},
		{gousb.ErrorTimeout, ErrTimeout},
		{gousb.TransferTimedOut, ErrTimeout},
		{gousb.ErrorBusy, ErrInUse},
		{gousb.ErrorAccess, ErrPermission},
		{gousb.ErrorNoMem, ErrMemory},
		{gousb.ErrorNoDevice, camdriver.ErrUnplugged},
		{gousb.TransferNoDevice, camdriver.ErrUnplugged},
	} {
		if errors.Is(err, e.libusb) || strings.Contains(err.Error(), e.libusb.Error()) {
			return fmt.Errorf("%w (%v)", e.ours, err)
		}
	}
	return err
}
