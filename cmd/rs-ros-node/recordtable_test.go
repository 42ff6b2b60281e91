package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rsros/node/record"
)

func TestRecordTable(t *testing.T) {
	f := record.Figures{File: "walk.bag", Duration: 90 * time.Second, Bytes: 5e6}
	for i := range 20 {
		f.Rows = append(f.Rows, record.Row{Name: fmt.Sprintf("/robot/camera_%d/depth/image_rect_raw", i), Type: "sensor_msgs/Image\x1b[2J", Rate: 30, Speed: 18.4e6, Messages: 2700, Drops: 7, Queue: 3e6, Lost: 1})
	}
	for width, want := range map[int]string{
		1:   "",
		20:  "…",
		40:  "/robot/camera_0/depth/…    30.0       7\n",
		80:  "/robot/camera_0/depth/image…    30.0   18.40      2700       7   3.0 MB       1\n",
		160: "/robot/camera_0/depth/image_rect_raw  sensor_msgs/Image\\x1b[2J    30.0   18.40      2700       7   3.0 MB       1\n",
	} {
		for _, height := range []int{1, 10, 40} {
			got := tableText([]record.Figures{f}, width, height)
			if strings.Contains(got, "\x1b") {
				t.Errorf("%d columns: a name controls the terminal: %q", width, got)
			}
			lines := strings.SplitAfter(strings.TrimSuffix(got, "\n"), "\n")
			for _, line := range lines {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d columns: a line of %d: %q", width, n, line)
				}
			}
			if height > 3 && len(lines) > height {
				t.Errorf("%d lines on a terminal of %d", len(lines), height)
			}
			if height > 3 && !strings.Contains(got, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, got)
			}
			if rest := height < 20; width >= 40 && rest != strings.Contains(got, "more; ~status has all") {
				t.Errorf("%dx%d: is anything left out?\n%s", width, height, got)
			}
		}
	}
}
