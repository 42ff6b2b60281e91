//go:build usb && usbvm && usbsdk

package usbvm

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/replay/recorded"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// tool prepares one of librealsense's own programs, which writes files into a folder of its own.
func tool(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	dir := filepath.Join(os.Getenv("USBVM_OUT"), "sdk")
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		need.Missing(t, "RS_SDK has no %s", name)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "HOME="+cmd.Dir)
	need.Must(t, os.WriteFile(filepath.Join(cmd.Dir, ".realsense-config.json"), []byte("{}"), 0o644))
	return cmd
}

// runTool runs it to its end and returns what it prints. Neither that nor its log may have errors or warnings other than known ones.
func runTool(t *testing.T, cmd *exec.Cmd, known ...string) string {
	t.Helper()
	var out, warnings bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &warnings
	err := cmd.Run()
	if err != nil {
		t.Errorf("%s: %v", cmd.Args, err)
	}
	checkTool(t, cmd, out.String()+warnings.String(), known...)
	return out.String()
}

// checkTool checks what a tool has printed and logged for errors and warnings.
func checkTool(t *testing.T, cmd *exec.Cmd, printed string, known ...string) {
	t.Helper()
	logged, _ := os.ReadFile(filepath.Join(cmd.Dir, "librealsense.log")) // not every tool has one
	for _, line := range complaints(printed + string(logged)) {
		has := func(part string) bool { return strings.Contains(line, part) }
		if slices.ContainsFunc([]string{"WARNING", "ERROR", "rror calling"}, has) && !slices.ContainsFunc(known, has) {
			t.Errorf("%s: %s", cmd.Args, line)
		}
	}
}

// TestSDKTools runs those of librealsense's own programs that RS_SDK has.
func TestSDKTools(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"rs-enumerate-devices": toolEnumerates,
		"rs-fw-logger":         toolReadsLog,
		"rs-terminal":          toolSendsCommands,
		"rs-data-collect":      toolCollects,
		"rs-record":            toolRecords,
	} {
		t.Run(name, func(t *testing.T) {
			port := plug(t, d435i.Options{})
			test(t)
			if n := port.Camera().Stalls(); n > 0 {
				t.Errorf("the camera refused %d requests", n)
			}
		})
	}
}

// toolEnumerates lists profiles, options, calibration, a summary.
func toolEnumerates(t *testing.T) {
	for _, args := range [][]string{{}, {"-o"}, {"-c"}, {"-S"}} {
		out := runTool(t, tool(t, "rs-enumerate-devices", args...))
		if !strings.Contains(out, serial) {
			t.Errorf("rs-enumerate-devices %s: %d bytes without the serial number", args, len(out))
		}
		t.Logf("rs-enumerate-devices %s: %d lines", args, strings.Count(out, "\n"))
	}
}

// toolReadsLog reads the log of the flash, which has none, and that of the firmware until its first record has come.
func toolReadsLog(t *testing.T) {
	const record = "FW_Log_Data:"
	if out := runTool(t, tool(t, "rs-fw-logger", "-f")); strings.Contains(out, record) {
		t.Errorf("an erased flash has a log: %s", out)
	}
	cmd := tool(t, "rs-fw-logger")
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	need.Must(t, err)
	var printed strings.Builder
	lines := bufio.NewScanner(pipe)
	for lines.Scan() && !strings.Contains(lines.Text(), record) {
		printed.WriteString(lines.Text() + "\n")
	}
	if line := strings.ToLower(lines.Text()); !strings.Contains(line, "a0 1 0 8 1 0 0 0") && !strings.Contains(line, "a0 01 00 08 01 00 00 00") {
		t.Errorf("the first record is %q", line)
	}
	_ = cmd.Process.Kill() // it has no end of its own
	_ = cmd.Wait()
	checkTool(t, cmd, printed.String())
}

// toolSendsCommands asks for the description (GVD) and the clock, and for what the camera doesn't know.
func toolSendsCommands(t *testing.T) {
	command := func(op string) string {
		return "14 00 ab cd " + op + strings.Repeat(" 00", 19)
	}
	if out := runTool(t, tool(t, "rs-terminal", "-s", command("10"))); !strings.Contains(out, "84 39 22 07 11 05") {
		t.Errorf("GVD: %s", out)
	}
	out := runTool(t, tool(t, "rs-terminal", "-s", command("ee")))
	if !strings.Contains(out, "ff ff ff ff") {
		t.Errorf("a command that isn't known: %s", out)
	}
}

// toolCollects collects the times of all streams for 8 s. Told a number of frames, the tool may end before a stream's first.
func toolCollects(t *testing.T) {
	cmd := tool(t, "rs-data-collect", "-c", "streams.cfg", "-f", "times.csv", "-t", "8")
	config := "DEPTH,424,240,15,Z16,0\nINFRARED,424,240,15,Y8,1\nINFRARED,424,240,15,Y8,2\nCOLOR,424,240,15,RGB8,0\n" +
		"ACCEL,1,1,63,MOTION_XYZ32F\nGYRO,1,1,200,MOTION_XYZ32F\n"
	need.Must(t, os.WriteFile(filepath.Join(cmd.Dir, "streams.cfg"), []byte(config), 0o644))
	out := runTool(t, cmd)
	csv, err := os.ReadFile(filepath.Join(cmd.Dir, "times.csv"))
	if err != nil || !strings.Contains(out, "Task completed") {
		t.Fatalf("%v: %s", err, out)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(csv)) {
		stream, _, _ := strings.Cut(line, ",")
		counts[stream]++
	}
	for stream, least := range map[string]int{"Depth": 30, "Infrared": 60, "Color": 30, "Accel": 30, "Gyro": 30} {
		if counts[stream] < least {
			t.Errorf("%d rows of %s, want %d", counts[stream], stream, least)
		}
	}
}

// toolRecords records the default streams, and reads the recording. The machine is too slow for 1280x720 at 30 as RGB8: the tool runs
// out of frames.
func toolRecords(t *testing.T) {
	cmd := tool(t, "rs-record", "-t", "2", "-f", "camera.bag")
	runTool(t, cmd, "Out of frame resources", "rs2_allocate_synthetic_")
	source, err := recorded.Open(filepath.Join(cmd.Dir, "camera.bag"), recorded.Options{})
	need.Must(t, err)
	defer source.Close()
	seen := hashes(t, source)
	for _, stream := range []string{"Depth ", "Color "} {
		n := 0
		for key := range seen {
			if strings.HasPrefix(key, stream) {
				n++
			}
		}
		if n == 0 {
			t.Errorf("no frame of %sis recorded", stream)
		}
	}
}
