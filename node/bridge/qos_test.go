package bridge

import (
	"testing"

	"rsros/ros"
	dds "rsros/ros2"
	"rsros/test/need"
)

func TestQoS(t *testing.T) {
	rules, err := parseQoS([]string{"SENSOR_DATA", ".*/image_raw=parameters"})
	need.Must(t, err)
	for _, c := range []struct {
		name  string
		rules []qosRule
		p     ros.Publication
		want  dds.QoS
	}{
		{"/imu", nil, ros.Publication{Queue: 3}, dds.QoS{Reliable: true, Depth: 3}},
		{"/imu", nil, ros.Publication{Queue: -1}, dds.QoS{Reliable: true, Depth: unlimited}},
		{"/imu", nil, ros.Publication{Queue: 3, BestEffort: true}, dds.QoS{Depth: 3}},
		{"/imu", rules, ros.Publication{Queue: 3}, dds.QoS{Depth: 5}},
		{"/color/image_raw", rules, ros.Publication{Queue: 3, BestEffort: true}, dds.QoS{Reliable: true, Depth: 1000}},
		{"/color/image_raw", rules, ros.Publication{Queue: 3}, dds.QoS{Reliable: true, Depth: 1000}},
		{"/tf_static", rules, ros.Publication{Queue: 3, Latched: true, BestEffort: true}, dds.QoS{Reliable: true, TransientLocal: true, Depth: unlimited}},
	} {
		if got := qosOf(c.rules, c.name, c.p); got != c.want {
			t.Errorf("%s, %+v: %+v, want %+v", c.name, c.p, got, c.want)
		}
	}
	for _, wrong := range []string{"", "fast", "(=default", ".*=", "default="} {
		if _, err := parseQoS([]string{wrong}); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
}
