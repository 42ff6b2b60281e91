package usbip

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"rsros/test/usbvm/d435i"
)

const controller = "/sys/devices/platform/vhci_hcd.0/"

// Port is a place where a camera can be plugged in and out. Its methods may be
// called from any goroutine.
type Port struct {
	opt d435i.Options

	mu     sync.Mutex
	number int
	cam    *d435i.Camera // nil while unplugged
	server *server
	past   []string // violations of cameras that were unplugged
}

// Plug plugs a new camera in, at the speed its options say.
func Plug(o d435i.Options) (*Port, error) {
	p := &Port{opt: o}
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
	s, kernel, err := serve(cam, p.Reset)
	if err != nil {
		return err
	}
	const device = 2<<16 | 2 // any bus and address of the far side
	line := fmt.Sprintf("%d %d %d %d", number, kernel.Fd(), device, speed)
	err = os.WriteFile(controller+"attach", []byte(line), 0)
	_ = kernel.Close() // the kernel holds its own reference
	if err != nil {
		s.close()
		return fmt.Errorf("attach: %w", err)
	}
	p.number, p.cam, p.server = number, cam, s
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
	p.server.close()
	p.cam, p.server = nil, nil
	return err
}

// Reset is what a camera does when it is told to: it leaves the bus and comes
// back.
func (p *Port) Reset() {
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
