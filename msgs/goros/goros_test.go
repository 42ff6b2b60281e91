package goros

import (
	"slices"
	"strings"
	"testing"

	"github.com/bluenviron/goroslib/v2/pkg/msgproc"
	"github.com/bluenviron/goroslib/v2/pkg/serviceproc"

	"rsros/msgs"
	"rsros/msgs/goros/dynamic_reconfigure"
	"rsros/msgs/goros/realsense2_camera"
	"rsros/msgs/goros/realsense_msgs"
	"rsros/msgs/goros/roscpp"
)

var messages = map[string]any{
	"dynamic_reconfigure/BoolParameter":     dynamic_reconfigure.BoolParameter{},
	"dynamic_reconfigure/Config":            dynamic_reconfigure.Config{},
	"dynamic_reconfigure/ConfigDescription": dynamic_reconfigure.ConfigDescription{},
	"dynamic_reconfigure/DoubleParameter":   dynamic_reconfigure.DoubleParameter{},
	"dynamic_reconfigure/Group":             dynamic_reconfigure.Group{},
	"dynamic_reconfigure/GroupState":        dynamic_reconfigure.GroupState{},
	"dynamic_reconfigure/IntParameter":      dynamic_reconfigure.IntParameter{},
	"dynamic_reconfigure/ParamDescription":  dynamic_reconfigure.ParamDescription{},
	"dynamic_reconfigure/StrParameter":      dynamic_reconfigure.StrParameter{},
	"realsense2_camera/Extrinsics":          realsense2_camera.Extrinsics{},
	"realsense2_camera/IMUInfo":             realsense2_camera.IMUInfo{},
	"realsense2_camera/Metadata":            realsense2_camera.Metadata{},
	"realsense_msgs/ImuIntrinsic":           realsense_msgs.ImuIntrinsic{},
	"realsense_msgs/Notification":           realsense_msgs.Notification{},
	"realsense_msgs/StreamInfo":             realsense_msgs.StreamInfo{},
	"roscpp/Logger":                         roscpp.Logger{},
}

var services = map[string]any{
	"dynamic_reconfigure/Reconfigure": dynamic_reconfigure.Reconfigure{},
	"realsense2_camera/DeviceInfo":    realsense2_camera.DeviceInfo{},
	"roscpp/GetLoggers":               roscpp.GetLoggers{},
	"roscpp/SetLoggerLevel":           roscpp.SetLoggerLevel{},
}

// TestMessages compares MD5 sums and type names with those of this program.
func TestMessages(t *testing.T) {
	for name, message := range messages {
		want := msgs.MustType(name)
		sum, err := msgproc.MD5(message)
		if err != nil || sum != want.MD5 {
			t.Errorf("%s: md5 %s, want %s (%v)", name, sum, want.MD5, err)
		}
		if typ, err := msgproc.Type(message); err != nil || typ != name {
			t.Errorf("%s: goroslib's type is %s (%v)", name, typ, err)
		}
	}
}

func TestServices(t *testing.T) {
	for name, service := range services {
		want := msgs.MustService(name)
		if sum, err := serviceproc.MD5(service); err != nil || sum != want.MD5 {
			t.Errorf("%s: md5 %s, want %s (%v)", name, sum, want.MD5, err)
		}
	}
}

// TestAllAreThere checks that the tables above have all messages of these ROS packages.
func TestAllAreThere(t *testing.T) {
	for _, name := range msgs.Types() {
		pkg, _, _ := strings.Cut(name, "/")
		_, ok := messages[name]
		if slices.Contains([]string{"dynamic_reconfigure", "realsense2_camera", "realsense_msgs", "roscpp"}, pkg) && !ok {
			t.Errorf("%s is missing", name)
		}
	}
}
