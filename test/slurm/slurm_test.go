//go:build slurm && linux

package slurm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }

const (
	recordings = 200
	shards     = 8
)

// archive is a folder with recordings of all three formats; every tenth is torn.
func archive(t *testing.T, program string) string {
	t.Helper()
	bag := samplebag.Walk(t, "walk.bag")
	var kinds []string
	for _, ext := range []string{".bag", ".mcap", ".db3"} {
		kind := strings.TrimSuffix(bag, ".bag") + ext
		if ext != ".bag" {
			_ = exec.Command(program, "convert", bag, "-o", kind).Run() // exit code 3: ROS 2 has no seq
		}
		kinds = append(kinds, kind)
	}
	in := t.TempDir()
	for i := range recordings {
		kind := kinds[i%len(kinds)]
		text, err := os.ReadFile(kind)
		need.Must(t, err)
		if i%10 == 0 {
			text = text[:len(text)*3/4]
		}
		name := filepath.Join(in, fmt.Sprintf("day%d", i%7), fmt.Sprintf("%03d%s", i, filepath.Ext(kind)))
		need.Must(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, text, 0o666)))
	}
	return in
}

// result is what must be the same however the work was shared.
type result struct {
	Item, State, Output, Error string
	Before                     bool
	Result                     json.RawMessage
}

// read parses the lines of batch. Lines of a killed task may be torn.
func read(t *testing.T, lines []byte, out string) (results []result) {
	t.Helper()
	for line := range bytes.Lines(bytes.ReplaceAll(lines, []byte(out), []byte("OUT"))) {
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Logf("%v: %s", err, line)
			continue
		}
		results = append(results, r)
	}
	return results
}

// TestArray runs an array job over a bucket while a task is killed and requeued, and the node is drained and resumed. All recordings
// are done once, and the results are those of one run on one computer.
func TestArray(t *testing.T) {
	program := peer.Released(t)
	b := bucket.Start(t)
	in, one, array, logs := b.Put("raw", archive(t, program)), b.Address("one"), b.Address("array"), t.TempDir()
	alone, err := exec.Command(program, "batch", "recover", in, "-o", one).Output()
	if code := exitCode(err); code != 3 && code != 1 {
		t.Fatalf("one run: %v", err)
	}

	c := start(t)
	// Each task leaves its process id, so that the test can kill it.
	bin, pids := t.TempDir(), t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho $$ >%s/$SLURM_ARRAY_TASK_ID.new && mv %[1]s/$SLURM_ARRAY_TASK_ID.new %[1]s/$SLURM_ARRAY_TASK_ID\nexec %s \"$@\"\n", pids, program)
	need.Must(t, os.WriteFile(filepath.Join(bin, "rs-ros-node"), []byte(script), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	job := c.run("sbatch", "--parsable", fmt.Sprintf("--array=0-%d", shards-1), "--chdir="+logs, deployed(t), "recover", in, "-o", array)
	killed := c.kill(job, pids)
	c.run("scontrol", "update", "NodeName="+c.node, "State=DRAIN", "Reason=test")
	task := fmt.Sprintf("%s_%d", job, killed)
	c.run("scontrol", "requeue", task)
	c.run("scontrol", "update", "JobId="+task, "StartTime=now") // Slurm waits before it runs one again
	c.await("drained")
	if left := c.tasks(job); !slices.Contains(left, "PENDING") {
		t.Errorf("no task waited while the node was drained: %v", left)
	}
	before := objects(t, array+"/.batch")
	c.run("scontrol", "update", "NodeName="+c.node, "State=RESUME")
	peer.Await(t, "all tasks to end", func() bool { return len(c.tasks(job)) == 0 })
	t.Logf("task %d was killed, %d recordings were done before the node was resumed", killed, before)

	want := make(map[string]result)
	for _, r := range read(t, alone, one) {
		want[r.Item] = r
	}
	if len(want) != recordings {
		t.Fatalf("one run has %d recordings", len(want))
	}
	times := make(map[string]int)
	for i := range shards {
		text, err := os.ReadFile(filepath.Join(logs, fmt.Sprintf("batch-%s_%d.jsonl", job, i)))
		if err != nil {
			t.Error(err)
		}
		for _, r := range read(t, text, array) {
			if !r.Before && r.State != "failed" {
				times[r.Item]++
			}
		}
	}
	got := make(map[string]result)
	again, err := exec.Command(program, "batch", "recover", in, "-o", array).Output()
	for _, r := range read(t, again, array) {
		if !r.Before && r.State != "failed" {
			t.Errorf("%s wasn't done: %+v", r.Item, r)
		}
		r.Before = false
		got[r.Item] = r
	}
	if !maps.EqualFunc(got, want, func(a, b result) bool { return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b) }) {
		t.Errorf("the array's results (exit code %d) differ from those of one run:\n%s\n%s", exitCode(err), again, alone)
	}
	lost := 0
	for name, r := range want {
		if times[name] > 1 {
			t.Errorf("%s was done %d times", name, times[name])
		}
		if r.State != "done" {
			lost++
		}
		if r.Output != "" && !bytes.Equal(content(t, one, r.Output), content(t, array, r.Output)) {
			t.Errorf("%s: another output", name)
		}
	}
	if lost == 0 || lost == recordings {
		t.Errorf("%d recordings lost something", lost)
	}
}

// kill kills a task that has begun and isn't done, and waits until Slurm sees it.
func (c *cluster) kill(job, pids string) (index int) {
	c.t.Helper()
	peer.Await(c.t, "a task to kill", func() bool {
		for i := range shards {
			text, err := os.ReadFile(filepath.Join(pids, strconv.Itoa(i)))
			if err != nil {
				continue
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
				index = i
				return true
			}
		}
		return false
	})
	peer.Await(c.t, "the killed task to end", func() bool { s := c.task(job, index); return s != "RUNNING" && s != "COMPLETING" })
	if s := c.task(job, index); s != "FAILED" && s != "NODE_FAIL" {
		c.t.Errorf("the killed task %d is %s", index, s)
	}
	return index
}

// deployed is the path of deploy/slurm/batch.sh.
func deployed(t *testing.T) string {
	path, err := filepath.Abs("../../deploy/slurm/batch.sh")
	need.Must(t, err)
	return path
}

func objects(t *testing.T, prefix string) (n int) {
	t.Helper()
	for _, err := range place.List(t.Context(), prefix+"/") {
		need.Must(t, err)
		n++
	}
	return n
}

func content(t *testing.T, out, name string) []byte {
	t.Helper()
	f, err := place.Open(t.Context(), place.Join(out, name))
	if err != nil {
		t.Error(err)
		return nil
	}
	defer f.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.NewSectionReader(f, 0, f.Info().Size))
	if err != nil {
		t.Error(err)
	}
	return text
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}
