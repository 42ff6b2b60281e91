package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestVerdicts checks the table of damage in docs/commands/README.md with every small recording among the examples, the hostile files
// and the repository's own: where check says that messages are lost, no command that reads them ends with 0, and where check
// finds nothing, such a command ends with 3 only because its output can't hold what the recording has. Commands of which the output
// is ROS 1 agree. What a command isn't for, it refuses.
func TestVerdicts(t *testing.T) {
	const largest = 1020 << 10
	seen := make(map[string]bool) // some are there twice
	damaged := []string{tornDB3(t), wrongSum(t, 4, 3, 300_000), twoNames(t), withoutType(t), withoutSchema(t, "\x07\x00")}
	files := append([]string{rosbag2File, withoutSchema(t, "\x00\x00"), earlyDB3(t)}, damaged...)
	for _, dir := range []string{filepath.Dir(filepath.Dir(need.Bag(t, "hostile/times.mcap"))), "../../test/data", "../../bagstore"} {
		need.Must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.Contains(".bag .db3 .mcap", filepath.Ext(path)) && filepath.Ext(path) != "" && !seen[e.Name()] {
				seen[e.Name()] = true
				if info, err := e.Info(); err == nil && info.Size() <= largest && !strings.Contains(path, "00M") && !strings.Contains(path, "1G") && !strings.Contains(path, "all250") { // a bomb takes minutes of processor time
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
		if slices.Contains(damaged, path) && !lost {
			t.Errorf("check of %s finds no loss:\n%s", path, out)
		}
		if lost && code == exitOK {
			t.Errorf("check of %s finds a loss, and ends with 0", path)
		}
		dir, ros1 := t.TempDir(), make(map[bool][]string)
		isBag := filepath.Ext(path) == ".bag"
		for _, line := range []string{"cat --noarr IN", "split IN --split-count 1000000 -o OUT/part", "compress IN --lz4 -o OUT/compressed.bag", "process IN --filters threshold -o OUT/processed.bag",
			"reindex IN -o OUT/indexed.bag", "recover IN -o OUT/recoveredEXT", "filter IN -o OUT/filtered.bag", "merge IN -o OUT/merged.bag", "convert IN -o OUT/converted.mcap",
			"play -i -q -d 0 -r 1000 --master embedded __master:=http://MASTER __ip:=127.0.0.1 IN", "export IN -o OUT/folder"} {
			args := strings.Fields(strings.NewReplacer("IN", path, "OUT", dir, "EXT", filepath.Ext(path), "MASTER", master).Replace(line))
			got, printed, log := command(t, args...)
			log += printed
			switch {
			case strings.Contains("compress reindex", args[0]) && !isBag, strings.Contains(log, "no RealSense recording"):
				if got != exitFailed {
					t.Errorf("%s of %s, which it isn't for, ends with %d:\n%s", args[0], path, got, log)
				}
				continue
			case args[0] == "reindex": // as rosbag reindex, it tells of losses, and makes an index
				if got != exitOK && !strings.Contains(log, "no intact message") {
					t.Errorf("reindex of %s ends with %d:\n%s", path, got, log)
				}
				continue
			}
			if lost && got == exitOK {
				t.Errorf("%s of %s ends with 0, check with %d:\n%s", args[0], path, code, out)
			}
			if strings.Contains("cat split filter merge play", args[0]) {
				ros1[got == exitOK] = append(ros1[got == exitOK], args[0])
			}
			holds := !strings.Contains(log, "left out") && !strings.Contains(log, "no intact message") && !strings.Contains(log, bagstore.ClampedTimes) && !strings.Contains(log, "doesn't hold all")
			if code == exitOK && got != exitOK && holds {
				t.Errorf("%s of %s ends with %d, check with 0:\n%s", args[0], path, got, log)
			}
		}
		if len(ros1) > 1 {
			t.Errorf("%s: %v end with 0, %v don't", path, ros1[true], ros1[false])
		}
	}
}

// withoutType is a bag of which the record of a connection has no data: its topic is known, its type isn't.
func withoutType(t *testing.T) string {
	const text = "\x02\x00\x00\x00hi"
	path := samplebag.File(t, "withouttype.bag", nil)
	writeBag(t, path, bagstore.Options{Overwrite: true}, []bagstore.Connection{{Topic: "/chatter"}}, func(write func(int, bagstore.Time, []byte)) {
		write(0, 1e9, []byte(text))
	})
	return path
}

// withoutSchema is an MCAP file with a channel that has no schema, or if id isn't 0, names one that isn't there.
func withoutSchema(t *testing.T, id string) string {
	const channel, schema, name = "\x01\x00", "\x01\x00", "\x08\x00\x00\x00/chatter"
	content := textMCAP(t, &mcap.WriterOptions{}, 1, []byte("\x02\x00\x00\x00hi"))
	return samplebag.File(t, fmt.Sprintf("withoutschema%x.mcap", id), bytes.ReplaceAll(content, []byte(channel+schema+name), []byte(channel+id+name)))
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
