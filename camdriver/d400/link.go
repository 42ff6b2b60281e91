package d400

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
	"rsros/camdriver/uvc"
)

// link is a connection to a camera until it is unplugged. Its fields do not change after connect.
type link struct {
	ctx        context.Context         // ends when the device is closed or the camera is lost
	lost       context.CancelCauseFunc // ends ctx
	usb        usb.Device
	handle     usb.Handle     // for try
	open       camdriver.Gate // to handle
	cfg        *uvc.Configuration
	depth      *uvc.Function
	xu         uint8         // the depth function's extension unit
	color      *uvc.Function // nil if there is no separate colour function
	hid        *uvc.HID      // nil without motion sensors
	id         model.GVD
	advanced   bool          // mode
	autoSwitch bool          // see model.Metadata
	hwmon      chan struct{} // has room for the one command that runs
	hung       atomic.Bool   // the last request was not answered, although it was repeated
}

// openLink opens a camera.
func openLink(ctx context.Context, bus usb.Bus, dev usb.Device) (*link, error) {
	handle, err := bus.Open(dev)
	if err != nil {
		return nil, err
	}
	l := &link{usb: dev, handle: handle, cfg: &uvc.Configuration{}, hwmon: make(chan struct{}, 1)}
	l.endWith(ctx)
	return l, nil
}

// connect opens a camera and reads its description.
func connect(ctx context.Context, bus usb.Bus, dev usb.Device) (*link, error) {
	l, err := openLink(ctx, bus, dev)
	if err != nil {
		return nil, err
	}
	if err := l.identify(); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

// endWith makes the link end with ctx.
func (l *link) endWith(ctx context.Context) {
	if l.lost != nil {
		l.lost(nil)
	}
	l.ctx, l.lost = context.WithCancelCause(ctx)
}

// close waits for transfers. Later ones return ErrUnplugged.
func (l *link) close() error {
	l.lost(nil)
	l.open.Close()
	return l.handle.Close()
}

// note ends the link if err, from a transfer, is ErrUnplugged. It returns err.
func (l *link) note(err error) error {
	if errors.Is(err, camdriver.ErrUnplugged) {
		l.lost(err)
	}
	return err
}

func (l *link) identify() error {
	raw, err := l.readConfiguration()
	if err == nil {
		err = l.describe(raw)
	}
	if err != nil {
		return err
	}
	b, err := l.command(model.OpGVD, nil)
	if err != nil {
		return fmt.Errorf("read device description: %w", err)
	}
	if l.id, err = model.ParseGVD(b); err != nil {
		return err
	}
	l.autoSwitch = l.usb.Product == model.D405 && l.id.Firmware.Less(model.SwitchUntil)
	on, err := l.command(model.OpAdvancedOn, nil)
	l.advanced = err == nil && len(on) > 0 && on[0] != 0
	if errors.Is(err, camdriver.ErrUnplugged) {
		return err
	}
	return nil
}

// describe finds the functions of a configuration.
func (l *link) describe(raw []byte) (err error) {
	if l.cfg, err = uvc.ParseConfiguration(raw); err != nil {
		return err
	}
	for i := range l.cfg.Video {
		f := &l.cfg.Video[i]
		at := slices.IndexFunc(f.Units, func(u uvc.Unit) bool { return u.GUID == model.DepthUnit })
		switch {
		case at >= 0 && l.depth == nil:
			l.depth, l.xu = f, f.Units[at].ID
		case at < 0 && l.color == nil:
			l.color = f
		}
	}
	if len(l.cfg.HID) > 0 && l.cfg.HID[0].Endpoint != 0 {
		l.hid = &l.cfg.HID[0]
	}
	if l.depth == nil {
		return fmt.Errorf("device has %d video functions and none is for depth", len(l.cfg.Video))
	}
	return nil
}

// readConfiguration reads the configuration with all class descriptors.
func (l *link) readConfiguration() ([]byte, error) {
	read := func(b []byte) (int, error) {
		return l.control(startTries, uvc.StandardIn, uvc.GetDescriptor, uvc.DescConfiguration<<8, 0, b)
	}
	head := make([]byte, 9)
	n, err := read(head)
	if err == nil && n < len(head) {
		err = errShort
	}
	if err != nil {
		return nil, fmt.Errorf("read USB configuration: %w", err)
	}
	all := make([]byte, binary.LittleEndian.Uint16(head[2:]))
	if n, err = read(all); err != nil {
		return nil, fmt.Errorf("read USB configuration: %w", err)
	}
	return all[:n], nil
}

// present asks the camera for its status, which every USB device has, and ends the link if it is gone.
func (l *link) present() error {
	const getStatus, size = 0, 2
	_, err := l.control(1, uvc.StandardIn, getStatus, 0, 0, make([]byte, size))
	return l.note(err)
}

func (l *link) depthXU(selector uint8) uvc.Control {
	return uvc.Control{Interface: l.depth.Interface, Unit: l.xu, Selector: selector}
}

// get reads a control, with retries, and returns the number of bytes read.
func (l *link) get(tries int, c uvc.Control, request uint8, data []byte) (int, error) {
	return l.control(tries, uvc.RequestIn, request, c.Value(), c.Index(), data)
}

// control runs a control transfer with retries.
func (l *link) control(tries int, requestType, request uint8, value, index uint16, data []byte) (n int, err error) {
	err = l.try(tries, func(h usb.Handle) (err error) {
		n, err = h.Control(requestType, request, value, index, data)
		return err
	})
	return n, err
}

// set writes a control, with retries.
func (l *link) set(tries int, c uvc.Control, data []byte) error {
	return l.try(tries, func(h usb.Handle) error {
		n, err := h.Control(uvc.RequestOut, uvc.SetCur, c.Value(), c.Index(), data)
		if err == nil && n < len(data) {
			err = fmt.Errorf("wrote %d of %d bytes: %w", n, len(data), errShort)
		}
		return err
	})
}

// try calls f with the handle. It repeats that while the device stalls, up to tries times, or does not respond, up to
// timeoutTries times, because each of those takes a second. A hung device is asked only once, and not at all when the
// link ends, or closing it would take a second for each request. The camera can be unplugged at any time: close waits
// for f.
func (l *link) try(tries int, f func(usb.Handle) error) error {
	hung, late := l.hung.Load(), 0
	if hung && l.ctx.Err() != nil {
		return usb.ErrTimeout
	}
	for try := 1; ; try++ {
		if !l.open.Enter() {
			return camdriver.ErrUnplugged
		}
		err := func() error {
			defer l.open.Leave()
			return f(l.handle)
		}()
		timeout := errors.Is(err, usb.ErrTimeout)
		if timeout {
			late++
		} else if !errors.Is(err, usb.ErrStall) {
			l.hung.Store(false)
			return err
		}
		hung = timeout && (hung || late >= timeoutTries || l.ctx.Err() != nil)
		if l.hung.Store(hung); hung || try >= tries {
			return err
		}
		if err := l.pause(); err != nil {
			return err
		}
	}
}

// pause waits between retries. It returns ErrClosed if the device is closed, and ErrUnplugged if the camera is lost.
func (l *link) pause() error {
	wait(l.ctx, controlPause)
	return context.Cause(l.ctx)
}
