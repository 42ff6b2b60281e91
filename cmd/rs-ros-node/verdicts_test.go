package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/test/need"
)

// TestVerdicts checks the table of damage in docs/commands/README.md with every small recording among the examples, the hostile files
// and the repository's own: where check says that messages are lost, no command that reads them ends with 0, and where check
// finds nothing, such a command ends with 3 only because its output can't hold what the recording has. Commands of which the output
// is ROS 1 agree.
func TestVerdicts(t *testing.T) {
	const largest = 1200 << 10
	files := []string{rosbag2File, tornDB3(t), wrongSum(t, 4, 3, 300_000), twoNames(t)}
	for _, dir := range []string{filepath.Dir(filepath.Dir(need.Bag(t, "hostile/times.mcap"))), "../../test/data", "../../bagstore"} {
		need.Must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.Contains(".bag .db3 .mcap", filepath.Ext(path)) && filepath.Ext(path) != "" {
				if info, err := e.Info(); err == nil && info.Size() <= largest && !strings.Contains(path, "00M") && !strings.Contains(path, "1G") { // test/attack has the bombs
					files = append(files, path)
				}
			}
			return err
		}))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	master := l.Addr().String()
	l.Close()
	for _, path := range files {
		code, out, _ := command(t, "check", "--json", path)
		lost := code == exitFailed
		var report struct {
			Notes []struct{ Severity string }
		}
		need.Must(t, json.Unmarshal([]byte(out), &report))
		for _, n := range report.Notes {
			lost = lost || n.Severity == bagstore.Loss.String()
		}
		if lost && code == exitOK {
			t.Errorf("check of %s finds a loss, and ends with 0", path)
		}
		dir, ros1 := t.TempDir(), make(map[bool][]string)
		for _, line := range []string{"cat IN", "recover IN -o OUT/recoveredEXT", "filter IN -o OUT/filtered.bag", "merge IN -o OUT/merged.bag", "convert IN -o OUT/converted.mcap",
			"play -i -q -d 0 -r 1000 --master embedded __master:=http://MASTER __ip:=127.0.0.1 IN", "export IN -o OUT/folder"} {
			args := strings.Fields(strings.NewReplacer("IN", path, "OUT", dir, "EXT", filepath.Ext(path), "MASTER", master).Replace(line))
			got, _, log := command(t, args...)
			if lost && got == exitOK {
				t.Errorf("%s of %s ends with 0, check with %d:\n%s", args[0], path, code, out)
			}
			if strings.Contains("cat filter merge play", args[0]) {
				ros1[got == exitOK] = append(ros1[got == exitOK], args[0])
			}
			holds := !strings.Contains(log, "left out") && !strings.Contains(log, bagstore.ClampedTimes) && !strings.Contains(log, "doesn't hold all")
			if code == exitOK && got != exitOK && holds {
				t.Errorf("%s of %s ends with %d, check with 0:\n%s", args[0], path, got, log)
			}
		}
		if len(ros1) > 1 {
			t.Errorf("%s: %v end with 0, %v don't", path, ros1[true], ros1[false])
		}
	}
}

// tornDB3 is a .db3 in which a page above leaves lost its cells.
func tornDB3(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "torn.db3")
	f, err := os.Create(path)
	need.Must(t, err)
	defer f.Close()
	w := db3.NewWriter(f)
	id, err := w.AddTopic(bagstore.Topic{Name: "/chatter", Type: "std_msgs/msg/String"})
	text := append([]byte("\x00\x01\x00\x00\x01\x02\x00\x00"), append(bytes.Repeat([]byte{'x'}, 512), 0)...)
	for i := range int64(400) {
		err = errors.Join(err, w.Write(id, 1e18+i, text))
	}
	need.Must(t, errors.Join(err, w.Close()))
	b, err := os.ReadFile(path)
	need.Must(t, err)
	const page, above = 4096, 0x05
	for at := page; at < len(b); at += page {
		if b[at] == above {
			clear(b[at+3 : at+5])
			need.Must(t, os.WriteFile(path, b, 0o600))
			return path
		}
	}
	t.Fatal("no page is above others")
	return ""
}
