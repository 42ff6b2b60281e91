package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/samplebag"
)

// anonymise exits with 3 if a line has no image, and writes nothing if it can't be trusted.
func TestAnonymise(t *testing.T) {
	bag, dir := samplebag.Robot(t, "robot.bag"), t.TempDir()
	boxes := func(lines ...string) string {
		return samplebag.File(t, "boxes.jsonl", []byte(strings.Join(lines, "\n")))
	}
	line := func(topic string, set int) string {
		return fmt.Sprintf(`{"topic":%q,"stamp":%d,"boxes":[{"x":1,"y":2,"w":30,"h":20}]}`, topic, int64(samplebag.RobotStart)+int64(set)*int64(samplebag.RobotStep))
	}
	var all []string
	for set := range samplebag.RobotSets {
		all = append(all, line("/camera/image", set))
	}
	out := filepath.Join(dir, "out.bag")
	want(t, exitOK, "anonymise", bag, out, "--boxes", boxes(all...), "--style", "blur", "--grow", "10", "--require", "/camera/image")
	want(t, exitOK, "check", out)
	code, _, log := command(t, "anonymise", bag, out, "-f", "--boxes", boxes(line("/camera/image", 1), line("/camera/image", 99), line("/tf", 0)))
	if code != exitIncomplete || !strings.Contains(log, "2 lines of boxes have no image") || !strings.Contains(log, "line 3, /tf, stamp 1700000000.000000000: the topic has messages of type tf2_msgs/TFMessage") {
		t.Errorf("exit code %d\n%s", code, log)
	}
	for _, args := range [][]string{
		{"--boxes", boxes(line("/camera/image", 1)), "--require", "/camera/image"}, {"--boxes", boxes("{}")}, {"--boxes", filepath.Join(dir, "nowhere")},
	} {
		nothing := filepath.Join(dir, "nothing.bag")
		want(t, exitFailed, append([]string{"anonymise", bag, nothing}, args...)...)
		if _, err := os.Stat(nothing); err == nil {
			t.Errorf("%q: there is an output", args)
		}
	}
	for _, args := range [][]string{{bag, out}, {bag, bag, "--boxes", "x"}, {bag, out, "--boxes", "x", "--style", "smear"}, {bag, out, "--boxes", "x", "--grow", "-1"}, {bag, out, "--boxes", "x", "--jpeg-quality", "0"}} {
		want(t, exitUsage, append([]string{"anonymise"}, args...)...)
	}
	want(t, exitFailed, "anonymise", bag, filepath.Join(dir, "out.mcap"), "--boxes", boxes(all...))
}
