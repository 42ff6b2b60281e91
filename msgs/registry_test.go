package msgs

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/bluenviron/goroslib/v2/pkg/msgproc"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/diagnostic_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/geometry_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/nav_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/rosgraph_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/sensor_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/std_msgs"
	"github.com/bluenviron/goroslib/v2/pkg/msgs/tf2_msgs"

	"rsros/test/need"
)

// TestMD5 compares with sums from librealsense's files and genmsg.
func TestMD5(t *testing.T) {
	for name, want := range map[string]string{
		"diagnostic_msgs/KeyValue":              "cf57fdc6617a881a88c16e768132149c",
		"realsense_msgs/StreamInfo":             "311d7e24eac31bb87271d041bf70ff7d",
		"realsense_msgs/ImuIntrinsic":           "aebdc2f8f9726f1c3ca823ab56e47429",
		"realsense_msgs/Notification":           "cdb7a97a510446301f8e6fb67d8cccb0",
		"sensor_msgs/CameraInfo":                "c9a58c1b0b154e0e6da7578cb991d214",
		"sensor_msgs/Image":                     "060021388200f6f0f447d0fcd9c64743",
		"sensor_msgs/Imu":                       "6a62c6daae103f4ff57a132d6f95cec2",
		"realsense2_camera/Extrinsics":          "3627b43073f4cd5dd6dc179a49eda2ad",
		"realsense2_camera/IMUInfo":             "a02adb3a99530b11ba18a16f40f9512a",
		"realsense2_camera/Metadata":            "4966ca002be16ee67fe4dbfb2f354787",
		"dynamic_reconfigure/Config":            "958f16a05573709014982821e6822580",
		"dynamic_reconfigure/ConfigDescription": "757ce9d44ba8ddd801bb30bc456f946f",
	} {
		if got := MustType(name).MD5; got != want {
			t.Errorf("%s: md5 %s, want %s", name, got, want)
		}
	}
}

func TestServiceMD5(t *testing.T) {
	for name, want := range map[string]string{
		"std_srvs/Empty":                  "d41d8cd98f00b204e9800998ecf8427e",
		"std_srvs/SetBool":                "09fb03525b03e7ea1fd3992bafd87e16",
		"std_srvs/Trigger":                "937c9679a518e3a18d831e57125ea522",
		"roscpp/GetLoggers":               "32e97e85527d4678a8f9279894bb64b0",
		"roscpp/SetLoggerLevel":           "51da076440d78ca1684d36c868df61ea",
		"realsense2_camera/DeviceInfo":    "914e9cfa74a4f66f08c3fe1016943c1b",
		"dynamic_reconfigure/Reconfigure": "bb125d226a21982a4a98760418dc2672",
	} {
		s, ok := LookupService(name)
		if !ok || s.MD5 != want {
			t.Errorf("%s: %v md5 %s, want %s", name, ok, s.MD5, want)
		}
	}
}

// TestMD5Goroslib compares with an independent implementation.
func TestMD5Goroslib(t *testing.T) {
	for name, msg := range map[string]any{
		"std_msgs/Header":                 std_msgs.Header{},
		"geometry_msgs/TransformStamped":  geometry_msgs.TransformStamped{},
		"tf2_msgs/TFMessage":              tf2_msgs.TFMessage{},
		"rosgraph_msgs/Log":               rosgraph_msgs.Log{},
		"rosgraph_msgs/Clock":             rosgraph_msgs.Clock{},
		"sensor_msgs/PointCloud2":         sensor_msgs.PointCloud2{},
		"sensor_msgs/CompressedImage":     sensor_msgs.CompressedImage{},
		"sensor_msgs/TimeReference":       sensor_msgs.TimeReference{},
		"diagnostic_msgs/DiagnosticArray": diagnostic_msgs.DiagnosticArray{},
		"nav_msgs/Odometry":               nav_msgs.Odometry{},
	} {
		want, err := msgproc.MD5(msg)
		need.Must(t, err)
		if got := MustType(name).MD5; got != want {
			t.Errorf("%s: MD5 %s, goroslib computes %s", name, got, want)
		}
	}
}

// genpyMD5 prints type, MD5 and definition of each known type in the installed ROS
// packages.
const genpyMD5 = `
import sys, importlib
for name in sys.argv[1:]:
    pkg, typ = name.split('/')
    try: cls = getattr(importlib.import_module(pkg + '.msg'), typ)
    except (ImportError, AttributeError): continue
    print(name, cls._md5sum)
`

// TestMD5Genpy compares with the classes of Debian's ROS packages.
func TestMD5Genpy(t *testing.T) {
	names := Types()
	slices.Sort(names)
	out, err := exec.Command("/usr/bin/python3", append([]string{"-c", genpyMD5}, names...)...).Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) < 10 {
		need.Missing(t, "not here: ROS message packages for /usr/bin/python3")
	}
	for _, line := range lines {
		name, want, _ := strings.Cut(line, " ")
		if got := MustType(name).MD5; got != want {
			t.Errorf("%s: MD5 %s, genpy has %s", name, got, want)
		}
	}
	t.Logf("%d of %d types compared", len(lines), len(names))
}

// TestDefinitionsParse parses the full definition of every type.
func TestDefinitionsParse(t *testing.T) {
	for _, name := range Types() {
		typ := MustType(name)
		s, err := Parse(typ.Name, typ.Definition)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.MD5() != typ.MD5 || s.FullText() != typ.Definition {
			t.Errorf("%s: parsed as %s %q", name, s.MD5(), s.FullText())
		}
	}
}

func TestUnknownNames(t *testing.T) {
	if _, ok := Lookup("no/Such"); ok {
		t.Error("Lookup found an unknown type")
	}
	if _, ok := LookupService("std_msgs/String"); ok {
		t.Error("LookupService found a message type")
	}
}
