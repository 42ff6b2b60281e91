package camdriver

// Severity of a notification or log line. Values are those of rs2_log_severity.
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

var severityNames = [...]string{
	"Debug",
	"Info",
	"Warn",
	"Error",
	"Fatal",
	"None",
}

// String gives the SDK's word: "Warn".
func (k Severity) String() string { return nameOf(severityNames[:], int(k)) }

// ParseSeverity is the inverse of String.
func ParseSeverity(s string) (Severity, bool) {
	i := indexOf(severityNames[:], s)
	return Severity(max(i, 0)), i >= 0
}
