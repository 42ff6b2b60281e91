//go:build usb && usbvm

package usbvm

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"rsros/usbcam/d435i"
	"rsros/usbcam/usbip"
)

const controller = "/sys/devices/platform/vhci_hcd.0/"

// Port is a place of the running kernel where a camera can be plugged in and out: one end of a socket pair goes to
// vhci_hcd, and USB/IP is served on the other. It needs root and the module vhci-hcd. Its methods may be called from
// any goroutine.
type Port struct {
	opt   d435i.Options
	watch func(*d435i.Camera) usbip.Device

	mu      sync.Mutex
	number  int
	cam     *d435i.Camera // nil while unplugged
	session *usbip.Session
	past    []string // violations of cameras that were unplugged
}

// Plug plugs a new camera in, at the speed its options say.
func Plug(o d435i.Options) (*Port, error) {
	return PlugWatched(o, func(c *d435i.Camera) usbip.Device { return c })
}

// PlugWatched is Plug with what watch returns between each camera and the kernel.
func PlugWatched(o d435i.Options, watch func(*d435i.Camera) usbip.Device) (*Port, error) {
	p := &Port{opt: o, watch: watch}
	return p, p.Plug()
}

// Camera is the plugged camera, nil if there is none.
func (p *Port) Camera() *d435i.Camera {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cam
}

// Plug plugs a new camera in.
func (p *Port) Plug() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cam != nil {
		return nil
	}
	speed, hub := 5, "ss"
	if p.opt.USB2 {
		speed, hub = 3, "hs"
	}
	number, err := freePort(hub)
	if err != nil {
		return err
	}
	cam := d435i.New(p.opt)
	ours, kernel, err := pair()
	if err != nil {
		return err
	}
	const device = 2<<16 | 2 // any bus and address of the far side
	line := fmt.Sprintf("%d %d %d %d", number, kernel.Fd(), device, speed)
	err = os.WriteFile(controller+"attach", []byte(line), 0)
	_ = kernel.Close() // the kernel holds its own reference
	if err != nil {
		return errors.Join(fmt.Errorf("attach: %w", err), ours.Close())
	}
	p.number, p.cam, p.session = number, cam, usbip.Attach(zerolog.Nop(), ours, p.watch(cam), p.Reset)
	return nil
}

// Unplug pulls the camera out.
func (p *Port) Unplug() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cam == nil {
		return nil
	}
	p.past = append(p.past, p.cam.Violations()...)
	err := os.WriteFile(controller+"detach", []byte(strconv.Itoa(p.number)), 0)
	p.cam.Unplug()
	p.session.Close()
	p.cam, p.session = nil, nil
	return err
}

// Reset is what a camera does when it is told to: it leaves the bus and comes
// back.
func (p *Port) Reset() {
	p.mu.Lock()
	if p.cam != nil {
		p.opt = p.cam.Options()
	}
	p.mu.Unlock()
	if p.Unplug() == nil {
		for range 50 { // the port is free again a moment later
			if p.Plug() == nil {
				return
			}
			<-time.After(100 * time.Millisecond)
		}
	}
}

// Violations lists what the host did wrong with any camera on this port.
func (p *Port) Violations() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := append([]string(nil), p.past...)
	if p.cam != nil {
		list = append(list, p.cam.Violations()...)
	}
	return list
}

// sendBuffer holds a frame of 1280x720 with what the kernel adds to each packet.
const sendBuffer = 4 << 20

// pair returns the two ends of a connection: ours and the kernel's.
func pair() (net.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	// A frame should go in one write: the small buffer that sockets begin with
	// costs a dozen changes between two threads, each dear where it is emulated.
	if err := unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBuffer); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("socket buffer: %w", err), unix.Close(fds[0]), unix.Close(fds[1]))
	}
	ours := os.NewFile(uintptr(fds[0]), "usbip")
	kernel := os.NewFile(uintptr(fds[1]), "usbip kernel")
	conn, err := net.FileConn(ours)
	if err := errors.Join(err, ours.Close()); err != nil {
		return nil, nil, errors.Join(err, kernel.Close())
	}
	return conn, kernel, nil
}

// freePort finds an unused port of the hub "hs" or "ss".
func freePort(hub string) (int, error) {
	status, err := os.ReadFile(controller + "status")
	if err != nil {
		return 0, err
	}
	const unused = "004"
	for _, line := range strings.Split(string(status), "\n") {
		f := strings.Fields(line)
		if len(f) > 2 && f[0] == hub && f[2] == unused {
			return strconv.Atoi(f[1])
		}
	}
	return 0, fmt.Errorf("no free port on the %s hub", hub)
}
