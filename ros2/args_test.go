package ros2

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

func TestROS1Args(t *testing.T) {
	file := filepath.Join(t.TempDir(), "params.yaml")
	need.Must(t, os.WriteFile(file, []byte(`
/**:
  ros__parameters: {enable_color: false, serial_no: "12"}
/camera/camera:
  ros__parameters:
    depth_module: {exposure: 5000, list: [a, b]}
robot:
  other:
    ros__parameters: {enable_color: true}
`), 0o600))
	for in, want := range map[string]string{
		"live -r 3": "live -r 3",
		"live --ros-args -r __node:=eye -r __ns:=/front -r /a:=/b -- --loop": "live --loop __name:=eye __ns:=/front /a:=/b",
		"--ros-args --remap x:=y --ros-args -p d.e.f:=1":                     "x:=y _d/e/f:=1",
		"--ros-args -r other:a:=b -r eye:c:=d -r __name:=eye":                "c:=d __name:=eye",
		"--ros-args --log-level eye:=WARN --disable-rosout-logs -e /x":       "--log-level=warn",
		"--ros-args -r __node:=camera -p depth_module.exposure:=7 --params-file " + file: "__name:=camera _depth_module/exposure:=5000 " +
			`_depth_module/list:=["a","b"] _enable_color:=false _serial_no:="12" _depth_module/exposure:=7`,
		"--ros-args -r": "", "--ros-args --what": "", "--ros-args -p a": "", "--ros-args --params-file /nowhere": "",
	} {
		got, err := ROS1Args(strings.Fields(in))
		if (err != nil) != (want == "") || !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s:\n%q, %v, want\n%q", in, got, err, want)
		}
	}
}
