// Package naming turns a device's frames into topics and messages, under the
// names of the RealSense bag format (SDKTopics) and of realsense2_camera
// (WrapperTopics), and plays a recording as if realsense2_camera had been recorded
// (Source).
//
// It may use node/ros to publish, node/replay and the bag readers, and knows
// neither the live node nor the player. Topics publish on the goroutine that raises
// the frame; what is computed of frame sets is published by a goroutine that Close
// waits for. Pixels aren't copied, unless depth must be converted to millimetres; a
// message retains its frame until the last subscriber has it.
package naming
