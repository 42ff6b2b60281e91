//go:build dist && linux

package dist

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
)

// bare runs a shell's script in an empty folder and an environment in which there is neither Go nor ROS.
func bare(t *testing.T, script string, env ...string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"HOME=" + cmd.Dir, "PATH=/usr/bin:/bin"}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s\n%s", err, script, out)
	}
	return string(out)
}

// TestWheel installs the wheel into an empty virtual environment, and uses the programs and the module.
func TestWheel(t *testing.T) {
	need.Programs(t, "/usr/bin/python3")
	out := bare(t, `
/usr/bin/python3 -m venv venv
venv/bin/pip install --no-index "$WHEEL"
PATH=$PWD/venv/bin:$PATH
rs-ros-node demo --duration 1s -o .
rs-ros-node info demo.bag
rs-ros-node check demo.bag
rs-ros-node filter demo.bag -o part.bag --end 0.5
rs-ros-node convert demo.bag -o demo.mcap
rs-ros-node export demo.bag -o images --end 0.1
python -m rs_ros_node version
rs-lerobot --help
python -c '
import rs_ros_node
frames = list(rs_ros_node.frames("demo.mcap", stream="Depth_0"))
print(len(frames), "frames of", len(frames[0].data), "bytes by", rs_ros_node.program())
'
ls venv/lib/python3*/site-packages/rs_ros_node-*.dist-info/sboms
pip uninstall -y rs-ros-node
find venv -name "rs[-_]*"
`, "WHEEL="+file(t, release(t), ".whl"))
	for _, want := range []string{"nothing was lost or changed", "1 sound", "rs-ros-node 1.", "rs-lerobot RECORDING", "30 frames of 814080 bytes by ",
		"/venv/bin/rs-ros-node", "rs-ros-node_1", "rs-lerobot_1", "Successfully uninstalled"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q:\n%s", want, out)
		}
	}
	if _, after, _ := strings.Cut(out, "Successfully uninstalled"); strings.Contains(after, "venv/") {
		t.Errorf("the wheel leaves behind %s", after)
	}
}

// TestInstallScript downloads a release as install.sh does, and refuses an archive that isn't the one that the script was
// made with.
func TestInstallScript(t *testing.T) {
	need.Programs(t, "curl")
	files := release(t)
	archive, script := file(t, files, "linux_amd64.tar.gz"), file(t, files, "install.sh")
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(archive))))
	defer server.Close()
	out := bare(t, `sh "$SCRIPT"; "$HOME/.local/bin/rs-ros-node" version; ls "$HOME/.local/share/man/man1"`,
		"SCRIPT="+script, "RS_RELEASE="+server.URL)
	for _, want := range []string{"installed ", "rs-ros-node 1.", "isn't in your PATH", "rs-ros-node-play.1"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q:\n%s", want, out)
		}
	}
	for _, name := range []string{"install.sh", "rs-ros-node.rb"} {
		text, err := os.ReadFile(file(t, files, name))
		need.Must(t, err)
		if !strings.Contains(string(text), "https://example.org/rs-ros-node/releases/download/v1.") {
			t.Errorf("%s doesn't name the release:\n%s", name, text)
		}
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "another file")
	}))
	defer other.Close()
	out = bare(t, `! sh "$SCRIPT"; ls -A "$HOME"`, "SCRIPT="+script, "RS_RELEASE="+other.URL)
	if !strings.Contains(out, "has the checksum") || strings.Contains(out, ".local") {
		t.Errorf("a changed archive: %s", out)
	}
}
