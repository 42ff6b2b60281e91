//go:build hosts && linux

package hosts

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// holdDisk mounts a small disk and keeps it until standard input ends. $1: folder.
const holdDisk = `
set -e
mount -t tmpfs -o size=48m tmpfs "$1"
echo ready
exec cat
`

// TestFullDisk: a camera's recording fills the disk while the store refuses uploads. At the floor frames are dropped,
// and counted, until uploads make room; without a floor the recording ends. Either way nothing is removed before it is
// in the bucket, and everything that was recorded gets there.
func TestFullDisk(t *testing.T) {
	need.Programs(t, "unshare", "nsenter", "rostopic")
	if os.Getuid() != 0 {
		need.Missing(t, "mounting a disk needs root")
	}
	for _, c := range []struct {
		floor, log, diagnostics string
		recovers                bool
	}{
		{"16M", "the disk is nearly full: frames are dropped", "frames were dropped from", true},
		{"0", "recording stopped; the streams continue", "recording stopped: write", false},
	} {
		t.Run("floor "+c.floor, func(t *testing.T) {
			b := bucket.Start(t)
			b.Inject(func(*http.Request, int) bucket.Fault { return bucket.Expired })
			dir := t.TempDir()
			cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", holdDisk, "sh", dir)
			stdin, err := cmd.StdinPipe()
			need.Must(t, err)
			holder := peer.StartCommand(t, cmd)
			t.Cleanup(func() { stdin.Close() }) //nolint:errcheck // ends the holder
			holder.Await("ready", func(out string) bool { return strings.Contains(out, "ready") })
			disk := filepath.Join("/proc", strconv.Itoa(holder.Pid()), "root", dir)

			env := peer.Env(t, rig.Master(t).URI())
			diagnostics := peer.Start(t, env, "rostopic", "echo", "/diagnostics")
			camera := peer.Start(t, env, "nsenter", "--target="+strconv.Itoa(holder.Pid()), "--mount", "--", peer.Program(t), "live", "--device", "sim",
				"--depth", "640x480@30", "--color", "off", "--infra1", "off", "--infra2", "off", "--record", filepath.Join(dir, "walk.bag"),
				"--split-size", "8M", "--min-space", c.floor, "--upload", b.Address("robot"))
			logged := func(text string) {
				t.Helper()
				peer.Await(t, text, func() bool { return strings.Contains(camera.Stderr(), text) })
			}
			logged(c.log)
			diagnostics.Await("a full disk", func(out string) bool {
				return strings.Contains(out, c.diagnostics) && strings.Contains(out, "Files waiting for upload")
			})
			parts, err := filepath.Glob(filepath.Join(disk, "walk_*.bag"))
			if err != nil || len(parts) < 4 {
				t.Fatalf("%q: %v", parts, err)
			}
			finished := parts[:len(parts)-1]
			recorded := map[string]string{}
			for i, path := range finished {
				text, err := os.ReadFile(path)
				if err != nil || filepath.Base(path) != "walk_"+strconv.Itoa(i)+".bag" {
					t.Fatalf("%s: %v", path, err)
				}
				recorded[filepath.Base(path)] = string(text)
			}

			b.Inject(nil)
			if c.recovers {
				logged("the disk has room again")
			}
			logged("uploaded bag=" + filepath.Join(dir, filepath.Base(finished[len(finished)-1])))
			if code := camera.Interrupt(); code != 3 {
				t.Errorf("exit code %d, want 3", code)
			}
			for name, text := range recorded {
				if got, err := os.ReadFile(filepath.Join(b.Folder, "robot", name)); err != nil || string(got) != text {
					t.Errorf("%s: another file arrived: %v", name, err)
				}
			}
			arrived, _ := filepath.Glob(filepath.Join(b.Folder, "robot", "*"))
			sound := peer.Start(t, env, peer.Program(t), append([]string{"check"}, arrived...)...)
			if code := sound.Wait(); code != 0 && c.recovers || len(arrived) < len(parts) {
				t.Errorf("check of %d objects ends with %d", len(arrived), code)
			}
			left, _ := filepath.Glob(filepath.Join(disk, "walk_*"))
			last := filepath.Base(parts[len(parts)-1])
			left = slices.DeleteFunc(left, func(path string) bool { return !c.recovers && strings.HasPrefix(filepath.Base(path), last) })
			if len(left) > 0 { // of the last one, the tail file has what the bag had no room for
				t.Errorf("left: %q", left)
			}
		})
	}
}
