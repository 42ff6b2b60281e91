package ros2

import (
	"math/bits"

	"rsros/msgs"
)

// logToROS1 converts a rcl_interfaces/msg/Log to a rosgraph_msgs/Log.
func logToROS1(c *conversion) {
	c.e.U32(0) // seq
	c.time()
	c.e.U32(0) // frame_id
	// Levels are multiples of ten in ROS 2 and powers of two in ROS 1.
	c.e.U8(1 << min(max(int(c.d.U8())/10-1, 0), 4))
	c.logTexts()
	c.e.Len(0) // topics
}

// logToROS2 is the inverse of logToROS1.
func logToROS2(c *conversion) {
	c.d.U32() // seq
	c.time()
	c.d.Bytes() // frame_id
	c.e.U8(ros2Level(c.d.U8()))
	c.logTexts()
	for range c.d.Len(4) {
		c.d.Bytes() // topics
	}
}

// logTexts converts name, message, file, function and line.
func (c *conversion) logTexts() {
	for range 4 {
		c.text()
	}
	c.numbers(1, 4)
}

// ros2Level converts a log level from ROS 1, powers of two, to ROS 2, multiples of ten. It rounds up.
func ros2Level(level uint8) uint8 {
	power := bits.Len8(max(level, msgs.LogDebug) - 1)
	return 10 * uint8(min(power+1, 5))
}
