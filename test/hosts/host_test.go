//go:build hosts && linux

package hosts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// host is a machine: a network namespace with one device, and a host name and /etc/hosts of its own. Its programs
// share the file system with this machine. It ends with the test.
type host struct {
	t        *testing.T
	name     string
	address  string
	env      []string // of its programs
	holder   *peer.Process
	tun      *os.File
	link     link
	programs []*peer.Process
}

// holdHost makes the namespaces' content and keeps them until standard input ends, which is when the test does.
// $1: host name, $2: address, $3: the hosts file, $4: device.
const holdHost = `
set -e
hostname "$1"
mount --bind "$3" /etc/hosts
ip link set lo up
ip tuntap add dev "$4" mode tun
ip address add "$2/24" dev "$4"
ip link set "$4" up
echo ready
exec cat
`

func startHost(t *testing.T, name, address, hosts string, env []string) *host {
	t.Helper()
	h := &host{t: t, name: name, address: address, env: env}
	cmd := exec.Command("unshare", "--net", "--mount", "--uts", "--propagation", "private", "sh", "-c", holdHost, "sh", name, address, hosts, device)
	stdin, err := cmd.StdinPipe()
	need.Must(t, err)
	h.holder = peer.StartCommand(t, cmd)
	t.Cleanup(func() { stdin.Close() }) //nolint:errcheck // ends the holder
	h.holder.Await("ready", func(out string) bool { return strings.Contains(out, "ready") })
	return h
}

// start runs a program on the host until the test ends.
func (h *host) start(args ...string) *peer.Process {
	h.t.Helper()
	holder := strconv.Itoa(h.holder.Pid())
	p := peer.Start(h.t, h.env, "nsenter", append([]string{"--target=" + holder, "--net", "--mount", "--uts", "--"}, args...)...)
	h.programs = append(h.programs, p)
	return p
}

// run runs a program that must succeed, and returns what it printed.
func (h *host) run(args ...string) string {
	h.t.Helper()
	p := h.start(args...)
	if code := p.Wait(); code != 0 {
		h.t.Fatalf("%q on %s ended with %d:\n%s", args, h.name, code, p.Output())
	}
	return p.Stdout()
}

// pause stops all programs of the host, as a machine that hangs does. Its kernel still answers.
func (h *host) pause() { h.signal(syscall.SIGSTOP) }

func (h *host) resume() { h.signal(syscall.SIGCONT) }

func (h *host) signal(s syscall.Signal) {
	for _, p := range h.programs {
		if !p.Ended() {
			p.Signal(s)
		}
	}
}

// site is a master and other hosts on one LAN.
type site struct {
	*lan
	t      *testing.T
	master *peer.Process
}

// how programs tell others where they are
const (
	byAddress = "ROS_IP"
	byName    = "ROS_HOSTNAME"
)

// newSite makes hosts of the given names, of which the first is the master's, and starts a stock roscore there.
func newSite(t *testing.T, reach string, names ...string) *site {
	t.Helper()
	need.Programs(t, "unshare", "nsenter", "ip", "roscore", "rostopic", "rosnode", "rosbag")
	if os.Getuid() != 0 {
		need.Missing(t, "network namespaces need root")
	}
	address := func(i int) string { return fmt.Sprintf("10.77.0.%d", i+1) }
	hosts, master := "127.0.0.1 localhost\n", address(0)
	if reach == byName {
		master = names[0]
		for i, name := range names {
			hosts += address(i) + " " + name + "\n"
		}
	}
	file := filepath.Join(t.TempDir(), "hosts")
	need.Must(t, os.WriteFile(file, []byte(hosts), 0o644))
	var all []*host
	for i, name := range names {
		env := slices.DeleteFunc(peer.Env(t, "http://"+master+":11311"), func(v string) bool { return strings.HasPrefix(v, "ROS_IP=") })
		self := map[string]string{byAddress: address(i), byName: name}[reach]
		all = append(all, startHost(t, name, address(i), file, append(env, reach+"="+self)))
	}
	s := &site{lan: newLAN(t, all), t: t}
	s.startMaster()
	return s
}

// host is the host of that name.
func (s *site) host(name string) *host {
	at := slices.IndexFunc(s.hosts, func(h *host) bool { return h.name == name })
	return s.hosts[at]
}

// startMaster starts a roscore on the first host and waits for it.
func (s *site) startMaster() {
	s.t.Helper()
	h := s.hosts[0]
	s.master = h.start("roscore")
	peer.Await(s.t, "roscore", func() bool {
		if s.master.Ended() { // it gives up when the machine is busy
			s.master = h.start("roscore")
		}
		return h.start("rosnode", "info", "/rosout").Wait() == 0
	})
}
