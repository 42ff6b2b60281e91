package record

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rsros/program"
)

// ParseDuration parses a positive time in rosbag's notation: "30" (seconds), "30s",
// "5m", "1h".
func ParseDuration(s string) (time.Duration, error) {
	text := strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(n, 'f', -1, 64) + "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%w: time %q: want seconds, or a number with s, m or h", program.ErrUsage, s)
	}
	return d, nil
}
