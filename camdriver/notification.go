package camdriver

import "time"

// Category says what a notification is about. Values are those of
// rs2_notification_category.
type Category uint8

// The categories.
const (
	NotifyFramesTimeout Category = iota
	NotifyFrameCorrupted
	NotifyHardwareError
	NotifyHardwareEvent
	NotifyUnknownError
	NotifyFirmwareUpdateRecommended
	NotifyPoseRelocalization
)

var categoryNames = [...]string{
	"Frames Timeout",
	"Frame Corrupted",
	"Hardware Error",
	"Hardware Event",
	"Unknown Error",
	"Firmware Update Recommended",
	"Pose Relocalization",
}

// String gives the SDK's words: "Hardware Event".
func (k Category) String() string { return nameOf(categoryNames[:], int(k)) }

// ParseCategory is the inverse of String.
func ParseCategory(s string) (Category, bool) {
	i := indexOf(categoryNames[:], s)
	return Category(max(i, 0)), i >= 0
}

// Notification is an event that a sensor reports.
type Notification struct {
	Time        time.Time
	Category    Category
	Severity    Severity
	Description string
	Data        string // UTF-8, often JSON; may be empty
}
