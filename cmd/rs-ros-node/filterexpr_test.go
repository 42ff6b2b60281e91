package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestFilterIsRosbagFilter: an expression keeps and prints what it does there.
func TestFilterIsRosbagFilter(t *testing.T) {
	need.Programs(t, "rosbag")
	bag := filepath.Join(t.TempDir(), "sdk.bag")
	want(t, exitOK, "filter", samplebag.Data(t, "sw_small_raw.bag"), "-o", bag, "--end", "0.4")
	for _, args := range [][]string{
		{"topic.startswith('/device_0/sensor_2') and 0.1 < t.to_sec() <= 0.2 or topic in ('/file_version',)"},
		{"m._type == 'sensor_msgs/Image' and m.encoding == 'mono16' and len(m.data) == m.step * m.height", "-p", "topic + ' ' + str(t.to_sec())"},
		{"t.secs == 0 and not 'image' in topic", "--print", "[topic, t.nsecs, m._md5sum]"},
		{"any(x.startswith('sensor') for x in topic.split('/'))", "--print", "(topic, t, '{:.3f} %'.format(t.to_sec() ** 2))"},
		{"m._type == 'sensor_msgs/Image' and sum(m.data[:100]) >= 0", "--print", "'%s %d' % (topic[1:], t.nsecs)"},
	} {
		ours, theirs := filepath.Join(t.TempDir(), "ours.bag"), filepath.Join(t.TempDir(), "theirs.bag")
		out, err := exec.Command("rosbag", slices.Concat([]string{"filter", bag, theirs}, args)...).Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		printed := want(t, exitOK, slices.Concat([]string{"filter", bag, "-o", ours}, args)...)
		if a, b := whenAndWhere(t, ours), whenAndWhere(t, theirs); !slices.Equal(a, b) {
			t.Errorf("%q keeps %d messages, rosbag %d", args, len(a), len(b))
		}
		var matches []string
		for line := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == '\n' || r == '\r' }) {
			if i := strings.Index(line, "NO MATCH "); i >= 0 {
				matches = append(matches, line[i:])
			} else if i := strings.Index(line, "MATCH "); i >= 0 {
				matches = append(matches, line[i:])
			}
		}
		if lines := strings.Split(strings.TrimSuffix(printed, "\n"), "\n"); len(matches) > 0 && !slices.Equal(lines, matches) {
			t.Errorf("%q: %d lines are printed, rosbag prints %d; the first %q and %q", args, len(lines), len(matches), lines[0], matches[0])
		}
	}
}

// TestFilterCopiesAsRosbagFilter: selections by flags, which copy whole chunks, keep the messages that rosbag filter keeps
// by an expression, byte by byte.
func TestFilterCopiesAsRosbagFilter(t *testing.T) {
	need.Programs(t, "rosbag")
	bag := filepath.Join(t.TempDir(), "small.bag")
	samplebag.Small.Write(t, bag, bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 4096})
	for expression, flags := range map[string][]string{
		"topic in ('/topic_2', '/topic_3')":                           {"--topics", "/topic_2,/topic_3"},
		"5 * 10**7 <= t.to_nsec() - 1600000000 * 10**9 <= 22 * 10**7": {"--start", "0.05", "--end", "0.22", "--no-latched"},
	} {
		ours, theirs := filepath.Join(t.TempDir(), "ours.bag"), filepath.Join(t.TempDir(), "theirs.bag")
		if out, err := exec.Command("rosbag", "filter", bag, theirs, expression).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", expression, err, out)
		}
		want(t, exitOK, append([]string{"filter", bag, "-o", ours}, flags...)...)
		sameMessages(t, ours, theirs)
	}
}

// TestFilterExpressionFails: an expression that makes no sense of a message
// ends the work, says of which message, and leaves nothing behind.
func TestFilterExpressionFails(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	out := filepath.Join(filepath.Dir(bag), "out.bag")
	log := wantLog(t, exitFailed, "filter", bag, "-o", out, "m.nowhere == 1")
	has(t, log, "message of /map at 1700000000.000000000", "std_msgs/String has no field nowhere")
	if got := samplebag.Names(t, bag); !slices.Equal(got, []string{"walk.bag"}) {
		t.Error(got)
	}
	want(t, exitOK, "filter", bag, "-o", out, "topic == '/count' and m.data.startswith('1') and len(m.data) == 2")
	if counts, _ := samplebag.Messages(t, out); counts["/count"] != 10 || len(counts) != 1 {
		t.Error(counts)
	}
}

// whenAndWhere lists a bag's messages without their content: rosbag filter drops
// the bytes that librealsense writes after a message.
func whenAndWhere(t *testing.T, path string) (list []string) {
	t.Helper()
	_, messages := samplebag.Messages(t, path)
	for _, m := range messages {
		list = append(list, m[:strings.Index(m, ` "`)])
	}
	slices.Sort(list)
	return list
}
