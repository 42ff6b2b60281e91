//go:build hosts && linux

package hosts

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// link is what connects a host to the others, in both directions. It can be changed at any time.
type link struct {
	cut   atomic.Bool
	delay atomic.Int64  // ns, each way
	loss  atomic.Uint64 // packets lost of a million, each way
}

// slow gives the link the given delay and loss in percent, each way.
func (l *link) slow(delay time.Duration, percent int) {
	l.delay.Store(int64(delay))
	l.loss.Store(uint64(percent) * 10_000)
}

// loses decides about one packet.
func (l *link) loses(dice *rand.Rand) bool {
	return l.cut.Load() || dice.Uint64N(1_000_000) < l.loss.Load()
}

// packet is an IP packet on its way.
type packet struct {
	due   time.Time
	bytes []byte
}

// backlog is how many packets may be on their way between two hosts; more are lost, as in a switch.
const backlog = 4096

// lan carries packets between hosts. Each host's end is a TUN device. netem would do the same in the kernel, but not
// every kernel has it.
type lan struct {
	t      *testing.T
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	hosts  []*host
}

// newLAN connects hosts until the test ends.
func newLAN(t *testing.T, hosts []*host) *lan {
	l := &lan{t: t, hosts: hosts}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	t.Cleanup(l.close)
	for _, h := range hosts {
		tun, err := openTUN(h.holder.Pid())
		if err != nil {
			t.Fatalf("network of %s: %v", h.name, err)
		}
		h.tun = tun
	}
	for i, from := range hosts {
		ways := make([]chan packet, len(hosts))
		for j, to := range hosts {
			if to == from {
				continue
			}
			ways[j] = make(chan packet, backlog)
			l.wg.Go(func() { l.deliver(to, ways[j]) })
		}
		l.wg.Go(func() { l.carry(from, ways, rand.New(rand.NewPCG(uint64(i), 1))) })
	}
	return l
}

// close unplugs everything. It waits until nothing is carried any more.
func (l *lan) close() {
	l.cancel()
	for _, h := range l.hosts {
		if h.tun != nil {
			h.tun.Close() //nolint:errcheck // ends its reader
		}
	}
	l.wg.Wait()
}

// carry takes what a host sends and puts it on the way to its receiver.
func (l *lan) carry(from *host, ways []chan packet, dice *rand.Rand) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.tun.Read(buffer)
		if err != nil {
			if !errors.Is(err, os.ErrClosed) {
				l.t.Errorf("read what %s sends: %v", from.name, err)
			}
			return
		}
		to := l.receiver(buffer[:n])
		if to < 0 || ways[to] == nil || from.link.loses(dice) || l.hosts[to].link.loses(dice) {
			continue
		}
		delay := time.Duration(from.link.delay.Load() + l.hosts[to].link.delay.Load())
		select {
		case ways[to] <- packet{time.Now().Add(delay), slices.Clone(buffer[:n])}:
		default:
		}
	}
}

// receiver is the number of the host that an IPv4 packet is for, or -1.
func (l *lan) receiver(p []byte) int {
	if len(p) < 20 || p[0]>>4 != 4 {
		return -1
	}
	address := fmt.Sprintf("%d.%d.%d.%d", p[16], p[17], p[18], p[19])
	return slices.IndexFunc(l.hosts, func(h *host) bool { return h.address == address })
}

// deliver gives a host what has been on its way long enough.
func (l *lan) deliver(to *host, way <-chan packet) {
	for {
		var p packet
		select {
		case p = <-way:
		case <-l.ctx.Done():
			return
		}
		if wait := time.Until(p.due); wait > 0 {
			select {
			case <-time.After(wait):
			case <-l.ctx.Done():
				return
			}
		}
		if _, err := to.tun.Write(p.bytes); err != nil && l.ctx.Err() == nil {
			l.t.Errorf("write to %s: %v", to.name, err)
			return
		}
	}
}

// device is the name of each host's network device.
const device = "lan"

// openTUN opens the device in the network namespace of a process.
func openTUN(pid int) (tun *os.File, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread, which is in the other namespace, ends with the goroutine
		tun, err = attachTUN(fmt.Sprintf("/proc/%d/ns/net", pid))
	}()
	<-done
	return tun, err
}

func attachTUN(namespace string) (*os.File, error) {
	ns, err := os.Open(namespace)
	if err != nil {
		return nil, err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("enter the namespace: %w", err)
	}
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(device)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("attach to %s: %w", device, err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), device), nil
}
