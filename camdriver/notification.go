package camdriver

import "time"

// Category is the kind of a notification. Values are those of rs2_notification_category.
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
	"Frames Timeout", "Frame Corrupted", "Hardware Error", "Hardware Event", "Unknown Error",
	"Firmware Update Recommended", "Pose Relocalization",
}

// String returns the SDK's name: "Hardware Event".
func (k Category) String() string { return nameOf(categoryNames[:], k) }

// ParseCategory is the inverse of String.
func ParseCategory(s string) (Category, bool) { return parseName[Category](categoryNames[:], s) }

// Severity is the severity of a notification. Values are those of rs2_log_severity.
type Severity uint8

// The severities.
const (
	SeverityDebug Severity = iota
	SeverityInfo
	SeverityWarn
	SeverityError
	SeverityFatal
	SeverityNone
)

var severityNames = [...]string{"Debug", "Info", "Warn", "Error", "Fatal", "None"}

// String returns the SDK's name: "Warn".
func (k Severity) String() string { return nameOf(severityNames[:], k) }

// ParseSeverity is the inverse of String.
func ParseSeverity(s string) (Severity, bool) { return parseName[Severity](severityNames[:], s) }

// Notification is an event that a sensor reports.
type Notification struct {
	Time        time.Time
	Category    Category
	Severity    Severity
	Description string
	Data        string // UTF-8, often JSON; may be empty
}
