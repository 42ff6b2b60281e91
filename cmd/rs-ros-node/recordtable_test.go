package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"rsros/record"
)

// manyRows are of topics, of which the last one has lost something.
func manyRows() record.Figures {
	f := record.Figures{File: "walk.bag", Files: 2, Duration: 90 * time.Second, Bytes: 5 << 20, Free: 712 << 30 / 10, Compression: "lz4"}
	for i := range 20 {
		f.Rows = append(f.Rows, record.Row{
			Name: fmt.Sprintf("/robot/camera_%02d/depth/image_rect_raw", i), Type: "sensor_msgs/Image\x1b[2J", Publishers: 1, Rate: 30, Speed: 18.4 * (1 << 20), Messages: 2700, Bytes: 1656 << 20, Queue: 3 << 20,
		})
	}
	f.Rows[19].Drops, f.Rows[19].Lost = 7, 1
	return f
}

func TestRecordTable(t *testing.T) {
	f := manyRows()
	help := "space pause  s split  m mark  q quit  t trigger"
	for width, want := range map[int][]string{
		1:  nil,
		20: {"…"},
		40: {
			"…/camera_19/dept…   30.0   18.40      7\n", "total              600.0  368.00      7\n", "recording walk.bag, 1m30s, 2 files\n5.0 MB, 71.2 GB free, compression lz4\n",
			"space pause  s split  m mark  q quit\nt trigger\n",
		},
		80: {
			"topic              pubs     Hz    MB/s messages       MB  drops    queue   lost\n",
			"…/camera_19/depth…    1   30.0   18.40     2700   1656.0      7   3.0 MB      1\n",
			"total                    600.0  368.00    54000  33120.0      7  60.0 MB      1\n",
		},
		160: {"/robot/camera_19/depth/image_rect_raw sensor_msgs/Image\\x1b[2J    1   30.0   18.40     2700   1656.0      7   3.0 MB      1\n"},
	} {
		for _, height := range []int{1, 12, 40} {
			got := tableText([]record.Figures{f}, help, width, height)
			if strings.Contains(got, "\x1b") {
				t.Errorf("%d columns: a name controls the terminal: %q", width, got)
			}
			lines := strings.SplitAfter(strings.TrimSuffix(got, "\n"), "\n")
			for _, line := range lines {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d columns: a line of %d: %q", width, n, line)
				}
			}
			if height > 3 && width >= 20 && len(lines) > height {
				t.Errorf("%d lines on a terminal of %d", len(lines), height)
			}
			for _, want := range want {
				if height > 3 && !strings.Contains(got, want) {
					t.Errorf("%d columns: no %q in\n%s", width, want, got)
				}
			}
			if rest := height < 20; width >= 40 && rest != strings.Contains(got, "more; ~status has all") {
				t.Errorf("%dx%d: is anything left out?\n%s", width, height, got)
			}
		}
	}
}

// TestRecordTableState checks that nothing of a ring's folder, of what waits for upload and of the reason for drops is cut on a narrow terminal.
func TestRecordTableState(t *testing.T) {
	f := record.Figures{
		File: "ring_2.bag", Files: 3, Paused: true, Bytes: 5 << 20, Free: 712 << 30 / 10, Dropping: "the disk is nearly full: messages are dropped until there is room",
		Advice: []string{"2 topics have images that are recorded from other topics, too: leave them out with -x '.*/compressed'"},
		Ring:   "2 files, 6 MB, in /data/robot_in_the_hall_2026-03-01-12-00-00.ring; 1 files kept", Uploads: "3 files, 12 MB",
	}
	const want = `topic                Hz    MB/s  drops
2 topics have images that are recorded
from other topics, too: leave them out
with -x '.*/compressed'
the disk is nearly full: messages are
dropped until there is room
paused ring_2.bag, 0s, 3 files, 5.0 MB
71.2 GB free, compression none
ring: 2 files, 6 MB
in /data/robot_in_the_hall_2026-03-01-12
-00-00.ring
1 files kept, upload: 3 files, 12 MB
`
	if got := tableText([]record.Figures{f}, "", 40, 24); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestRecordTableCells checks that wide characters and line feeds in names, which are somebody else's, don't break lines of any width.
func TestRecordTableCells(t *testing.T) {
	f := record.Figures{File: "歩行\n記録.bag", Free: -1, Rows: []record.Row{
		{Name: "/ロボット/カメラ/深度画像_その一", Type: "sensor_msgs/画像\r\n\tx", Rate: 30},
		{Name: "/a\nrecording\x1b[1A", Type: "x/y", Drops: 1},
	}}
	for width := 1; width <= 140; width++ {
		got := tableText([]record.Figures{f}, "s split  q quit", width, 24)
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		for _, line := range lines {
			if n := runewidth.StringWidth(line); n > width {
				t.Fatalf("a line of %d on %d: %q", n, width, line)
			}
		}
		for _, line := range lines[1:4] {
			if width > 20 && runewidth.StringWidth(line) != runewidth.StringWidth(lines[0]) {
				t.Fatalf("%d columns: the table isn't straight:\n%s", width, got)
			}
		}
		if strings.ContainsAny(got, "\t\r\x1b") {
			t.Fatalf("%d columns: a name controls the terminal: %q", width, got)
		}
	}
}

// TestRecordTableStreams checks that streams, which have no publishers, take no column for them, that a single row has no total, and that
// numbers too wide for a column aren't cut.
func TestRecordTableStreams(t *testing.T) {
	f := record.Figures{File: "walk.bag", Free: -1, Rows: []record.Row{{Name: "Depth_0", Type: "Z16", Publishers: -1, Rate: 90, Messages: 1234567890, Bytes: 7654321 << 20 * 100, Drops: 9876543}}}
	got := tableText([]record.Figures{f}, "", 100, 24)
	want := "topic            type                     Hz    MB/s messages       MB  drops    queue   lost\n" +
		"Depth_0          Z16                    90.0    0.00 1234568k  765432k  9877k   0.0 MB      0\n" +
		"recording walk.bag, 0s, 0 bytes, compression none\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestRecordTableNamespace checks that a name isn't cut where the shared namespaces end inside one of its own.
func TestRecordTableNamespace(t *testing.T) {
	f := record.Figures{File: "walk.bag", Free: -1, Rows: []record.Row{
		{Name: "/robot/left/camera/image_raw"}, {Name: "/robot/right/camera/image_raw"}, {Name: "/robot_arm/joint_states/filtered"},
	}}
	got := tableText([]record.Figures{f}, "", 40, 24)
	if !strings.Contains(got, "…/left/camera") || strings.Contains(got, "…_arm") {
		t.Errorf("got\n%s", got)
	}
}
