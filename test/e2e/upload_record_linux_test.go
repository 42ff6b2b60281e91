package e2e

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rsros/bagstore"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// TestUploadRecord checks, with a stock roscore and a stock publisher, that finished parts are in the
// bucket while the next one is written. The recorder is killed in the middle of a part while the
// network is down. The next one uploads what is left and its own recording: each file unchanged, and
// after recover every message.
func TestUploadRecord(t *testing.T) {
	python := need.Python(t, "rospy", "sensor_msgs")
	need.Programs(t, stockTools...)
	b, g := bucket.Start(t), newGraph(t)
	g.startRoscore()
	g.awaitNode("/rosout")
	script, err := filepath.Abs("testdata/overflow.py")
	need.Must(t, err)
	cmd := exec.Command(python, script, "100")
	cmd.Env = g.env
	say, err := cmd.StdinPipe()
	need.Must(t, err)
	peer.StartCommand(t, cmd)
	dir := t.TempDir()
	const value = "key: %q\n    value: \"%d\""
	start := func() (recorder, status *peer.Process) {
		recorder = g.start(peer.Program(t), "record", "-O", filepath.Join(dir, "walk.bag"), "--split", "--size", "4", "/images", "--upload", b.Address("robot"), "__name:=recorder")
		g.awaitAudience(1, "/images")
		return recorder, g.start("rostopic", "echo", "/recorder/status")
	}
	has := func(text string) func(string) bool {
		return func(out string) bool {
			last := out[max(0, strings.LastIndex(out, "level:")):]
			return strings.Contains(last, text) && strings.Contains(last, "---")
		}
	}

	recorder, status := start()
	fmt.Fprintln(say, 10)
	bucketFolder := filepath.Join(b.Folder, "robot")
	peer.Await(t, "two parts in the bucket", func() bool { return len(contents(t, bucketFolder, "*.bag")) == 2 })
	status.Await("two uploads", has(fmt.Sprintf(value, "Files uploaded", 2)))
	b.Inject(func(*http.Request, int) bucket.Fault { return bucket.Reset })
	fmt.Fprintln(say, 11)
	status.Await("a warning", has("uploads fail"))
	status.Await("three files that wait", has(fmt.Sprintf(value, "Files waiting for upload", 3)))
	awaitDisk := func(messages int, pattern string) {
		peer.Await(t, "the last messages on the disk", func() bool {
			n := 0
			for _, text := range contents(t, dir, pattern) {
				n += len(text)
			}
			return n >= messages<<20
		})
	}
	awaitDisk(21-8, "walk*.bag*")
	recorder.Signal(syscall.SIGKILL)
	recorder.Wait()
	recorded := contents(t, dir, "*.bag")
	maps.Copy(recorded, contents(t, dir, "*.active"))

	peer.Await(t, "the publisher to notice", func() bool {
		fmt.Fprintln(say, 1)
		return g.connections("/overflow", "/images") == 0
	})
	b.Inject(nil)
	recorder, status = start()
	fmt.Fprintln(say, 6)
	status.Await("an empty queue", has(fmt.Sprintf(value, "Files waiting for upload", 0)))
	awaitDisk(2, "walk_1.bag.*")
	say.Close() //nolint:errcheck // the publisher ends
	if code := recorder.Interrupt(); code != 0 || strings.Contains(recorder.Output(), bucket.Secret) {
		t.Errorf("exit code %d: %s", code, recorder.Output())
	}
	arrived := contents(t, bucketFolder, "*")
	for name, text := range recorded {
		if arrived[name] != text {
			t.Errorf("%s: %d bytes were recorded, %d others arrived", name, len(text), len(arrived[name]))
		}
	}
	var numbers []uint32
	for name := range arrived {
		path := filepath.Join(bucketFolder, name)
		if active, ok := strings.CutSuffix(name, ".active"); ok {
			killed := path
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil { // including its tail file
				killed = filepath.Join(dir, name)
			}
			path = filepath.Join(t.TempDir(), active)
			g.try(peer.Program(t), "recover", "-o", path, killed)
		}
		numbers = append(numbers, sequence(t, path)...)
	}
	slices.Sort(numbers)
	if len(numbers) != 27 || numbers[20] != 21 || numbers[26]-numbers[21] != 5 {
		t.Errorf("messages %v, want those from 1 to 21 and the last 6", numbers)
	}
	if left := contents(t, dir, "*.bag"); len(left) > 0 {
		t.Errorf("left: %q", slices.Sorted(maps.Keys(left)))
	}
}

// contents returns the files of a folder that match a pattern.
func contents(t *testing.T, dir, pattern string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	need.Must(t, err)
	files := map[string]string{}
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil { // otherwise it has just been uploaded
			files[filepath.Base(path)] = string(text)
		}
	}
	return files
}

// sequence returns the numbers in the headers of a bag's messages.
func sequence(t *testing.T, path string) (numbers []uint32) {
	t.Helper()
	bag := samplebag.Open(t, path)
	samplebag.Each(t, func(m bagstore.Message) { numbers = append(numbers, binary.LittleEndian.Uint32(m.Data)) }, bag)
	return numbers
}
