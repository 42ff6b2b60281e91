package duplicates

import (
	"strings"
	"testing"
)

// parse parses lines of a topic's name, kind of type and publishers.
func parse(text string) (list []Topic) {
	types := map[string]string{"image": imageType, "compressed": "sensor_msgs/CompressedImage", "theora": "theora_image_transport/Packet", "imu": "sensor_msgs/Imu"}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 1 {
			list = append(list, Topic{f[0], types[f[1]], f[2:]})
		}
	}
	return list
}

func TestFind(t *testing.T) {
	for name, c := range map[string]struct{ topics, exclude, say string }{
		"one of each": {`
			/camera/color/image_raw image /cam
			/camera/depth/image_rect_raw image /cam
			/camera/gyro/sample imu /cam`, "", ""},
		"two namings": {`
			/camera/color/image_raw image /cam
			/camera/infra1/image_rect_raw image /cam
			/camera/gyro/sample imu /cam
			/device_0/sensor_0/Infrared_1/image/data image /cam
			/device_0/sensor_1/Color_0/image/data image /cam
			/device_0/sensor_2/Gyro_0/imu/data imu /cam`, "/device_[0-9]+/.*",
			"2 topics have images that are recorded from other topics, too, such as /device_0/sensor_0/Infrared_1/image/data from /camera/infra1/image_rect_raw: " +
				"leave them out with -x '/device_[0-9]+/.*', or publish one naming (live --naming wrapper)"},
		"the namings of two cameras": {`
			/front/color/image_raw image /cam
			/device_0/sensor_1/Color_0/image/data image /other
			/device_1/sensor_0/Depth_0/image/data image /cam`, "", ""},
		"transports": {`
			/usb_cam/image_raw image /usb_cam
			/usb_cam/image_raw/compressed compressed /usb_cam
			/usb_cam/image_raw/theora theora /usb_cam`, ".*/(compressed|theora)",
			"2 topics have images that are recorded from other topics, too, such as /usb_cam/image_raw/compressed from /usb_cam/image_raw: " +
				"leave them out with -x '.*/(compressed|theora)'"},
		"one transport": {`
			/d/image image /d
			/d/image/compressedDepth compressed /d`, ".*/compressedDepth", ""},
		"a transport of another type or node": {`
			/a/image image /a
			/a/image/compressed imu /a
			/b/image image /b
			/b/image/compressed compressed /republish`, "", ""},
		"a transport of images that aren't recorded": {`
			/a/image image /a
			/a/image/compressed compressed /a
			/b/image/compressed compressed /b`, "/a/image/compressed", ""},
		"another node's device": {`
			/camera/color/image_raw image /cam
			/device_0/sensor_1/Color_0/image/data image /cam
			/device_1/sensor_0/Gyro_0/imu/data imu /other`, "/device_0/sensor_1/Color_0/image/data", ""},
		"both namings compressed": {`
			/camera/depth/image_rect_raw/compressedDepth compressed /cam
			/device_0/sensor_0/Depth_0/image/data/compressedDepth compressed /cam`, "/device_[0-9]+/.*", ""},
		"everything": {`
			/camera/color/image_raw image /cam
			/camera/color/image_raw/compressed compressed /cam
			/camera/aligned_depth_to_color/image_raw image /cam
			/device_0/sensor_1/Color_0/image/data image /cam
			/device_0/sensor_1/Color_0/image/data/compressed compressed /cam`, "/device_[0-9]+/.*|.*/compressed", ""},
		"odd names": {"/ image /cam\n/compressed compressed /cam\nx image", "", ""},
	} {
		d := Find(parse(c.topics))
		if d.Exclude != c.exclude {
			t.Errorf("%s: -x %q, want %q", name, d.Exclude, c.exclude)
		}
		if say := d.String(); c.say != "" && say != c.say || (say == "") != (c.exclude == "") {
			t.Errorf("%s: %q, want %q", name, say, c.say)
		}
	}
}
