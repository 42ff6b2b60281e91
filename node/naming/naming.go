// Package naming turns a device's frames into topics and messages, under the names of the
// RealSense bag format (SDKTopics) or realsense2_camera (WrapperTopics), and plays a
// recording as if realsense2_camera's topics had been recorded (Source).
//
// It may use node/ros to publish, node/replay and the bag readers, but neither the live
// node nor the player. Topics publish on the goroutine that delivers the frame; results
// of frame sets are published by a goroutine that Close waits for. Pixels aren't copied,
// except to convert them. A message retains its frame until the last subscriber has it.
package naming

// Choice selects the names under which a camera's streams are published.
type Choice string

// The RealSense bag format's names, realsense2_camera's, or both.
const (
	SDK     Choice = "sdk"
	Wrapper Choice = "wrapper"
	Both    Choice = "both"
)

func (n Choice) SDK() bool     { return n != Wrapper }
func (n Choice) Wrapper() bool { return n != SDK }
