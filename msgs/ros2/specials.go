package ros2

// special converts a known type whose fields have other places in ROS 2.
type special struct{ toROS2, toROS1 func(*conversion) }

// specials are by the name in ROS 1.
var specials = map[string]special{
	"rosgraph_msgs/Log":            {logToROS2, logToROS1},
	"realsense2_camera/Extrinsics": {extrinsicsToROS2, extrinsicsToROS1},
	"realsense2_camera/IMUInfo":    {imuInfoToROS2, imuInfoToROS1},
}

// extrinsicsToROS2 omits the header, whose time is 0 and whose frame_id says what the topic's name does.
func extrinsicsToROS2(c *conversion) {
	c.d.U32() // seq
	c.lossy = c.d.Time() != 0 || c.lossy
	c.d.Bytes() // frame_id
	c.numbers(9+3, 8)
}

func extrinsicsToROS1(c *conversion) {
	c.e.Raw(make([]byte, 4*4)) // seq, stamp, frame_id
	c.numbers(9+3, 8)
}

// imuInfoToROS2 moves the frame_id to the header that ROS 2 has. Its time is 0, as that of realsense-ros.
func imuInfoToROS2(c *conversion) {
	c.e.Time(0)
	c.text()
	c.numbers(12+3+3, 8)
}

func imuInfoToROS1(c *conversion) {
	c.lossy = c.d.Time() != 0 || c.lossy
	c.text()
	c.numbers(12+3+3, 8)
}
