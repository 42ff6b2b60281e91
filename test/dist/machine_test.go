//go:build dist && linux

package dist

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// machine is a copy of this machine's file system in which packages can be installed: an overlay in a mount namespace
// of its own, whose changes are kept in memory. It ends with the test, and this machine stays as it is.
type machine struct {
	t      *testing.T
	env    []string
	holder *peer.Process
	root   string
}

// holdMachine makes the overlay in its argument, a folder, and keeps it until standard input ends.
const holdMachine = `
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
for folder in proc dev tmp sys; do mount --rbind "/$folder" "$1/root/$folder"; done
echo ready
exec sleep infinity
`

func newMachine(t *testing.T, masterURI string) *machine {
	t.Helper()
	need.Programs(t, "unshare", "nsenter", "dpkg", "rosrun", "roslaunch", "roscore", "rostopic", "rospack")
	if os.Getuid() != 0 {
		need.Missing(t, "installing packages needs root")
	}
	m := &machine{t: t, env: peer.Env(t, masterURI), root: filepath.Join(t.TempDir(), "machine")}
	need.Must(t, os.Mkdir(m.root, 0o755))
	m.holder = peer.Start(t, m.env, "unshare", "--mount", "--propagation", "private", "sh", "-c", holdMachine, "sh", m.root)
	m.holder.Await("ready", func(out string) bool { return strings.Contains(out, "ready") })
	return m
}

// start runs a program on the machine until the test ends.
func (m *machine) start(args ...string) *peer.Process {
	m.t.Helper()
	enter := []string{"--mount=/proc/" + strconv.Itoa(m.holder.Pid()) + "/ns/mnt", "chroot", filepath.Join(m.root, "root")}
	return peer.Start(m.t, m.env, "nsenter", append(enter, args...)...)
}

// run runs a program that must succeed, and returns what it printed.
func (m *machine) run(args ...string) string {
	m.t.Helper()
	p := m.start(args...)
	if code := p.Wait(); code != 0 {
		m.t.Fatalf("%q ended with %d:\n%s", args, code, p.Output())
	}
	return p.Output()
}
