package d400

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/usb"
)

// UdevRules is the file with the udev rules that let users open cameras.
const UdevRules = "launch/udev/60-realsense-rs-ros-node.rules"

// Found describes a connected camera.
type Found struct {
	Name       string `json:"name"`
	Serial     string `json:"serial,omitempty"` // empty if the camera could not be opened
	ASICSerial string `json:"asic_serial,omitempty"`
	Firmware   string `json:"firmware,omitempty"`
	Product    string `json:"product"` // the USB product id, "0B3A"
	Port       string `json:"port"`    // "2-1.4"
	USB        string `json:"usb"`     // version of the link, "3.2"
	State      string `json:"state"`   // "ready", or why the camera cannot be used
}

// List returns the connected cameras. It opens each camera briefly, which detaches the kernel's drivers in the
// meantime. A camera that cannot be opened is listed with the reason.
func List(ctx context.Context) ([]Found, error) {
	if !usb.Available {
		return nil, usb.ErrNoUSB
	}
	return list(ctx, system())
}

// system returns the system's bus.
func system() usb.Bus { return usb.System(model.VendorIntel, model.VendorRealSense) }

// plugged is a connected camera.
type plugged struct {
	usb.Device
	product model.Product
}

// cameras returns the cameras on a bus.
func cameras(ctx context.Context, bus usb.Bus) (list []plugged, err error) {
	devices, err := bus.Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list USB devices: %w", err)
	}
	for _, u := range devices {
		if p, known := model.ProductOf(u.Product); known {
			list = append(list, plugged{u, p})
		}
	}
	return list, nil
}

func list(ctx context.Context, bus usb.Bus) ([]Found, error) {
	all, err := cameras(ctx, bus)
	out := []Found{} // not nil, so that JSON has an empty list
	for _, u := range all {
		out = append(out, inspect(ctx, bus, u))
	}
	return out, err
}

// inspect opens a camera to read its serial number and firmware.
func inspect(ctx context.Context, bus usb.Bus, u plugged) Found {
	p := u.product
	f := Found{Name: p.Name(), Product: fmt.Sprintf("%04X", p.ID), Port: u.Port, USB: u.Version(), State: "ready"}
	if err := undrivable(p); err != nil {
		f.State = err.Error()
		return f
	}
	l, err := connect(ctx, bus, u.Device)
	if err != nil {
		f.State = explain(err).Error()
		return f
	}
	p = p.As(l.id)
	f.Name, f.Serial, f.ASICSerial, f.Firmware = p.Name(), l.id.Serial.String(),
		l.id.ASICSerial.String(), l.id.Firmware.String()
	if err := errors.Join(checkParts(l, p), l.close()); err != nil {
		f.State = err.Error()
	} else if u.USB2() {
		f.State = "ready, on a USB 2 link with fewer profiles"
	} else if text := oldFirmware(l.id.Firmware, p); text != "" {
		f.State = "ready; " + text
	}
	return f
}

// undrivable returns why the driver can't open a product, or nil.
func undrivable(p model.Product) error {
	switch {
	case p.Recovery:
		return errRecover
	case p.Unsupported != "":
		return fmt.Errorf("%s: %s: %w", p.Name(), p.Unsupported, camdriver.ErrUnsupported)
	}
	return nil
}

// explain adds advice for users to an error.
func explain(err error) error {
	if errors.Is(err, usb.ErrPermission) {
		return fmt.Errorf("%w; install %s in /etc/udev/rules.d and plug the camera in again", err, UdevRules)
	}
	if errors.Is(err, usb.ErrInUse) {
		return fmt.Errorf("%w; stop that program (fuser -v /dev/bus/usb/*/* shows it)", err)
	}
	return err
}

// Selector selects a camera. Empty fields match any camera.
type Selector struct {
	Serial string // of the camera or its ASIC; as in realsense2_camera, a leading "_" is ignored
	Port   string // "2-1.4"
	Type   string // regular expression to find in the name, ignoring case: "d435"
}

func (s Selector) serial() string { return strings.ToUpper(strings.TrimPrefix(s.Serial, "_")) }

func (s Selector) String() string {
	var words []string
	for _, w := range [][2]string{{"serial", s.Serial}, {"port", s.Port}, {"type", s.Type}} {
		if w[1] != "" {
			words = append(words, w[0]+" "+w[1])
		}
	}
	if len(words) == 0 {
		return "any RealSense D400 camera"
	}
	return "a RealSense D400 camera with " + strings.Join(words, ", ")
}

// Open opens the first connected camera that matches the selector. If none does, the
// error says why for each connected camera.
func Open(ctx context.Context, sel Selector, o Options) (camdriver.Device, error) {
	if !usb.Available {
		return nil, fmt.Errorf("%s: %w", sel, usb.ErrNoUSB)
	}
	d, err := OpenOn(ctx, system(), sel, o)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// OpenOn is Open on another bus than the system's. It tries again for a while if a camera that may match is in use,
// because nodes that start together open each other's cameras for a moment, to read the serial numbers.
func OpenOn(ctx context.Context, bus usb.Bus, sel Selector, o Options) (*Device, error) {
	pattern, err := model.ParseType(sel.Type)
	if err != nil {
		return nil, err
	}
	others := map[usb.Device]error{} // that were opened and don't match
	for end := time.Now().Add(inUsePatience); ; wait(ctx, inUsePause) {
		d, err := openFirst(ctx, bus, sel, pattern, others, o)
		if !errors.Is(err, usb.ErrInUse) || time.Now().After(end) || ctx.Err() != nil {
			return d, err
		}
	}
}

// openFirst opens the first camera that matches and isn't one of the others, to which it adds those that don't match.
func openFirst(
	ctx context.Context, bus usb.Bus, sel Selector, pattern model.TypePattern, others map[usb.Device]error, o Options,
) (*Device, error) {
	all, err := cameras(ctx, bus)
	if err != nil {
		return nil, err
	}
	failed := []error{fmt.Errorf("%s: %w", sel, camdriver.ErrNotFound)}
	for _, u := range all {
		err := others[u.Device]
		named := func(v plugged) bool { return sel.serial() != "" && sel.serial() == v.Serial }
		if err == nil && !named(u) && slices.ContainsFunc(all, named) {
			err = errOther // as the kernel says
		}
		var d *Device
		if err == nil {
			d, err = openOne(ctx, bus, u, sel, pattern, o)
		}
		if err == nil {
			return d, nil
		}
		if errors.Is(err, errOther) {
			others[u.Device] = err
		}
		failed = append(failed, fmt.Errorf("%s at port %s: %w", u.product.Name(), u.Port, explain(err)))
	}
	return nil, errors.Join(failed...)
}

func openOne(ctx context.Context, bus usb.Bus, u plugged, sel Selector,
	pattern model.TypePattern, o Options) (*Device, error) {
	if sel.Port != "" && sel.Port != u.Port || !pattern.MatchVariant(u.product) {
		return nil, errOther
	}
	if err := undrivable(u.product); err != nil {
		return nil, err
	}
	l, err := connect(ctx, bus, u.Device)
	if err != nil {
		return nil, err
	}
	p := u.product.As(l.id)
	if !pattern.Match(p.Name()) {
		return nil, errors.Join(fmt.Errorf("%s %w", p.Name(), errOther), l.close())
	}
	want := sel.serial()
	if want != "" && want != l.id.Serial.String() && want != l.id.ASICSerial.String() {
		return nil, errors.Join(fmt.Errorf("serial number %s %w", l.id.Serial.String(), errOther), l.close())
	}
	d, err := newDevice(bus, l, p, o)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return d, nil
}
