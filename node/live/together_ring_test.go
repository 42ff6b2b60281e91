package live

import (
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/record"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestTogetherRing checks that a black box of two cameras and two topics keeps what was before a trigger and
// after it, and nothing else, in a bag that describes both cameras and begins with the latched message.
func TestTogetherRing(t *testing.T) {
	dir := t.TempDir()
	live, n := startTestLive(t, Options{
		Devices: []string{"sim:1", "sim:2"}, Cameras: []string{"front", "back"}, Together: true, RecordPath: dir + "/",
		Recording: record.Options{Topics: []string{"/odom", "/map"}, Ring: record.Ring{Before: 3 * time.Second, After: time.Second}},
	})
	odom, err := n.Advertise(ros.PublisherOptions{Topic: "/odom", Type: msgs.MustType("std_msgs/UInt32")})
	need.Must(t, err)
	latched, err := n.Advertise(ros.PublisherOptions{Topic: "/map", Type: msgs.MustType("std_msgs/UInt32"), Latch: true})
	need.Must(t, err)
	latched.Publish(msgs.Raw{Head: []byte{7, 0, 0, 0}})
	rig.Trigger(t, n, "/camera_node/start_recording")
	peer.Await(t, "the recorder", func() bool { return odom.Subscribers() == 1 && latched.Subscribers() == 1 })
	const sent, triggered = 160, 110 // 20 a second
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for i := range uint32(sent) {
		<-tick.C
		odom.Publish(msgs.Raw{Head: binary.LittleEndian.AppendUint32(nil, i)})
		if i == triggered {
			rig.Trigger(t, n, "/camera_node/trigger")
		}
	}
	rig.Trigger(t, n, "/camera_node/stop_recording")
	if last := live.LastRecording(); last.Dropped+last.Lost > 0 {
		t.Errorf("%+v", last)
	}

	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("left %q", left)
	}
	numbers, maps := besides(t, left[0])
	if maps != 1 {
		t.Errorf("%d maps", maps)
	}
	for i, number := range numbers {
		if number != numbers[0]+uint32(i) {
			t.Fatalf("messages %v", numbers)
		}
	}
	if len(numbers) == 0 || numbers[0] == 0 || numbers[0] > triggered-50 || numbers[len(numbers)-1] < triggered+15 || numbers[len(numbers)-1] == sent-1 {
		t.Errorf("messages %v, triggered at %d", numbers, triggered)
	}
	for number := range 2 {
		if frames := framesOf(t, left[0], number); frames < 12 || frames > 6*8 { // six a second, for four seconds and up to two more files
			t.Errorf("device %d has %d frames", number, frames)
		}
	}
	readAsSDK(t, left)
}

// framesOf returns the number of depth frames of a device of a recording, which must be whole.
func framesOf(t *testing.T, path string, number int) uint64 {
	t.Helper()
	f, err := rsbag.Open(path, rsbag.Options{Camera: strconv.Itoa(number)})
	need.Must(t, err)
	defer f.Close()
	if got := camdriver.Find(f.Snapshot().Info, camdriver.InfoSerialNumber); got != strconv.Itoa(number+1) {
		t.Errorf("%s: device %d has serial number %s", path, number, got)
	}
	if _, damaged, why := f.Gaps(); damaged > 0 || len(f.Notes()) > 0 {
		t.Errorf("%s: device %d: %d messages: %v; %q", path, number, damaged, why, f.Notes())
	}
	return f.Frames(camdriver.DepthStream)
}

// readAsSDK checks the rules of the SDK's reader with the stock libraries.
func readAsSDK(t *testing.T, paths []string) {
	t.Helper()
	if _, err := exec.LookPath("rosbag"); err != nil {
		need.Missing(t, "not here: rosbag")
	}
	check := slices.Concat([]string{"../../bagstore/realsense/rsbag/testdata/check_v3.py"}, paths)
	if out, err := exec.Command("/usr/bin/python3", check...).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", strings.Join(check, " "), err, out)
	}
}
