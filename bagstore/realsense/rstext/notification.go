package rstext

import (
	"fmt"

	"rsros/camdriver"
)

// ParseNotification parses a notification. Unknown categories and severities get a default.
func ParseNotification(s string) (camdriver.Notification, error) {
	f := fields{text: s}
	var known bool
	n := camdriver.Notification{Description: f.value("description"), Data: f.value("data")}
	if n.Category, known = camdriver.ParseCategory(f.value("category")); !known {
		n.Category = camdriver.NotifyUnknownError
	}
	if n.Severity, known = camdriver.ParseSeverity(f.value("severity")); !known {
		n.Severity = camdriver.SeverityNone
	}
	var err error
	n.Time, err = ParseMillis(f.value("timestamp"))
	f.fail("timestamp", err)
	return n, f.err
}

// Notification is the inverse of ParseNotification. changed reports that Clean changed a value.
func Notification(n camdriver.Notification) (text string, changed bool) {
	description, c1 := Clean(n.Description)
	data, c2 := Clean(n.Data)
	return Join(
		Pair{"category", n.Category.String()}, Pair{"severity", n.Severity.String()},
		Pair{"description", description}, Pair{"timestamp", fmt.Sprint(max(n.Time.UnixMilli(), 0))}, Pair{"data", data},
	), c1 || c2
}
