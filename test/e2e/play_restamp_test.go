package e2e

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
)

// stamped is a bag of leading headers, headers in an array, and point clouds, each stamped some time
// before it was recorded.
func stamped(t *testing.T) (path string, stamps map[string][]bagstore.Time) {
	var list []sample
	stamps = make(map[string][]bagstore.Time)
	for i := range 5 {
		at := time.Duration(20*i) * ms
		header := func(topic string, ago time.Duration) msgs.Header {
			stamp := bagStart.Add(at - ago)
			stamps[topic] = append(stamps[topic], stamp)
			return msgs.Header{Seq: uint32(i), Stamp: msgs.Time(stamp), FrameID: "camera_link"}
		}
		imu := msgs.Imu{Header: header("/imu", 3*ms)}
		tf := msgs.TFMessage{Transforms: []msgs.TransformStamped{
			{Header: header("/tf", 4*ms), ChildFrameID: "a"}, {Header: header("/tf", 5*ms+1), ChildFrameID: "b"},
		}}
		cloud := msgs.PointCloudHead{Header: header("/points", 6*ms), Height: 1, Width: 2, PointStep: 12, RowStep: 24, DataLen: 24}
		list = append(list,
			sample{at, "/imu", "sensor_msgs/Imu", msgs.Marshal(&imu)},
			sample{at + ms, "/tf", "tf2_msgs/TFMessage", msgs.Marshal(&tf)},
			sample{at + 2*ms, "/points", "sensor_msgs/PointCloud2", append(msgs.Marshal(&cloud), make([]byte, 25)...)})
	}
	return writeSamples(t, list), stamps
}

var echoedStamp = regexp.MustCompile(`stamp: *\n +secs: *(\d+)\n +nsecs: *(\d+)`)

// TestRestamp checks that with --restamp, stock tools without simulated time get current stamps, and
// that all stamps, including nested ones, are shifted by one constant.
func TestRestamp(t *testing.T) {
	t.Parallel()
	need.Programs(t, "/usr/bin/rostopic")
	program := peer.Program(t)
	g := newJudge(t)
	bag, recorded := stamped(t)
	echoes := make(map[string]*peer.Process)
	for topic := range recorded {
		echoes[topic] = g.start("rostopic", "echo", "-n", "5", topic)
	}
	if code := g.start(program, "play", bag, "--restamp", "--wait-for-subscribers").Wait(); code != 0 {
		t.Errorf("play ended with %d", code)
	}
	end := bagstore.TimeOf(time.Now())
	shifts := make(map[time.Duration]bool)
	for topic, echo := range echoes {
		if code := echo.Wait(); code != 0 {
			t.Errorf("rostopic echo %s ended with %d", topic, code)
		}
		found := echoedStamp.FindAllStringSubmatch(echo.Stdout(), -1)
		if len(found) != len(recorded[topic]) {
			t.Fatalf("%s: %d stamps in\n%s", topic, len(found), echo.Stdout())
		}
		for i, stamp := range found {
			secs, _ := strconv.ParseUint(stamp[1], 10, 32)
			nsecs, _ := strconv.ParseUint(stamp[2], 10, 32)
			moved := bagstore.NewTime(uint32(secs), uint32(nsecs))
			shifts[moved.Sub(recorded[topic][i])] = true
			if age := end.Sub(moved); age < 0 || age > peer.Patience {
				t.Errorf("%s: stamped %v before the end of playing", topic, age)
			}
		}
	}
	if len(shifts) != 1 {
		t.Errorf("stamps were moved by %v", shifts)
	}
}
