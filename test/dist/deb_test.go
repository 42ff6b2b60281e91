//go:build dist && linux

package dist

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }

// shared are the files of the first release, which takes minutes to make.
var shared map[string]string

// release returns the files of a release for this platform, by name. The tests share them and don't change them.
func release(t *testing.T) map[string]string {
	t.Helper()
	if shared == nil {
		out, err := filepath.Abs("../../build/release")
		need.Must(t, err)
		need.Must(t, errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)))
		shared = makeRelease(t, out)
	}
	return shared
}

// makeRelease makes a release and copies its files into a folder.
func makeRelease(t *testing.T, out string) map[string]string {
	t.Helper()
	dist := exec.Command("../../deploy/dist.sh", "linux_amd64")
	dist.Env = append(os.Environ(), "RS_REPOSITORY=https://example.org/rs-ros-node")
	if log, err := dist.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	files := map[string]string{}
	sums, err := os.ReadFile("../../build/dist/SHA256SUMS")
	need.Must(t, err)
	names := strings.Fields(string(sums))
	for i := 0; i < len(names); i += 2 {
		name := names[i+1]
		files[name] = filepath.Join(out, name)
		text, err := os.ReadFile(filepath.Join("../../build/dist", name))
		need.Must(t, err)
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); sum != names[i] {
			t.Errorf("%s: %s, SHA256SUMS has %s", name, sum, names[i])
		}
		need.Must(t, os.WriteFile(files[name], text, 0o600))
	}
	return files
}

// file returns a file of a release, by the end of its name.
func file(t *testing.T, files map[string]string, end string) string {
	t.Helper()
	for name, path := range files {
		if strings.HasSuffix(name, end) {
			return path
		}
	}
	t.Fatalf("no %s in %v", end, files)
	return ""
}

// TestReproducible makes a release twice, and compares all bytes.
func TestReproducible(t *testing.T) {
	first, second := release(t), makeRelease(t, t.TempDir())
	for _, kind := range []string{".tar.gz", ".deb", ".whl", ".cdx.json", "install.sh", "rs-ros-node.rb"} {
		file(t, first, kind)
	}
	for name, path := range first {
		a, err := os.ReadFile(path)
		need.Must(t, err)
		b, err := os.ReadFile(second[name])
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs the second time (%v)", name, err)
		}
	}
}

// TestInstalled installs the package, and starts the program as users of ROS do.
func TestInstalled(t *testing.T) {
	port := freePort(t)
	m := newMachine(t, fmt.Sprintf("http://127.0.0.1:%d/", port))
	m.run("dpkg", "--install", file(t, release(t), "_amd64.deb"))

	for _, c := range []struct {
		want string
		args []string
	}{
		{"rs-ros-node 1.0.0", []string{"rs-ros-node", "version"}},
		{"/usr/share/rs_ros_node", []string{"rospack", "find", "rs_ros_node"}},
		{"rs-ros-node 1.0.0", []string{"rosrun", "rs_ros_node", "rs-ros-node", "version"}},
		{"Record topics", []string{"zcat", "/usr/share/man/man1/rs-ros-node-record.1.gz"}},
		{"align-depth", []string{"bash", "-c", "rs-ros-node __complete live --align"}},
		{"start_rs-ros-node", []string{"cat", "/usr/share/bash-completion/completions/rs-ros-node"}},
		{"string json_data", []string{"rosmsg", "show", "realsense2_camera/Metadata"}},
		{"string usb_type_descriptor", []string{"rossrv", "show", "realsense2_camera/DeviceInfo"}},
		{"realsense_msgs/StreamInfo", []string{"/usr/bin/python3", "-c", "import realsense_msgs.msg as m; print(m.StreamInfo._type)"}},
		{"/usr/bin/rs-ros-node", []string{"/usr/bin/python3", "-c", "import rs_ros_node; print(rs_ros_node.program())"}},
		{"8086", []string{"cat", "/usr/lib/udev/rules.d/60-realsense-rs-ros-node.rules"}},
		{"RS_COMMAND=record", []string{"cat", "/etc/rs-ros-node/record.conf"}},
		{"", []string{"systemd-analyze", "verify", "--man=no", "/usr/lib/systemd/system/rs-ros-node-record.service"}},
	} {
		if out := m.run(c.args...); !strings.Contains(out, c.want) {
			t.Errorf("%q prints no %q:\n%s", c.args, c.want, out)
		}
	}

	m.start("roscore", "-p", fmt.Sprint(port))
	camera := m.start("roslaunch", "--wait", "rs_ros_node", "camera.launch", "device:=sim")
	topics := func() string {
		p := m.start("rostopic", "list")
		p.Wait() // fails until there is a master
		return p.Stdout()
	}
	peer.Await(t, "the camera's topics", func() bool { return strings.Contains(topics(), "/camera/color/image_raw\n") })
	m.run("rostopic", "echo", "-n", "1", "--noarr", "/camera/depth/image_rect_raw")
	m.run("rostopic", "echo", "-n", "1", "/camera/depth/metadata")
	m.run("rosservice", "call", "/camera/device_info")
	if code := camera.Interrupt(); code != 0 {
		t.Errorf("roslaunch ended with %d", code)
	}
	bag := filepath.Join(t.TempDir(), "at boot.bag")
	recorder := m.start("rosrun", "rs_ros_node", "rs-ros-node", "record", "-O", bag, "/rosout_agg", "__name:=recorder")
	peer.Await(t, "the recorder", func() bool { return strings.Contains(m.run("rosnode", "list"), "/recorder") })
	if code := recorder.Interrupt(); code != 0 {
		t.Errorf("the recorder ended with %d", code)
	}
	if out := m.run("rosbag", "info", bag); !strings.Contains(out, "path: ") {
		t.Errorf("rosbag info: %s", out)
	}

	m.run("dpkg", "--purge", "rs-ros-node")
	if out := m.run("sh", "-c", "ls -d /usr/share/rs_ros_node /usr/share/realsense* /usr/lib/python3/dist-packages/realsense* /etc/rs-ros-node /usr/bin/rs-ros-node 2>/dev/null; true"); out != "" {
		t.Errorf("the package leaves behind %s", out)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
