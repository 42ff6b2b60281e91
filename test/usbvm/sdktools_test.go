//go:build usb && usbvm && usbsdk

package usbvm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rsros/camdriver/d435i"
	"rsros/test/need"
)

// TestSDKTools runs librealsense's own rs-enumerate-devices, where there is one: profiles, options, calibration, a summary.
func TestSDKTools(t *testing.T) {
	dir := filepath.Join(os.Getenv("USBVM_OUT"), "sdk")
	tool := filepath.Join(dir, "rs-enumerate-devices")
	if _, err := os.Stat(tool); err != nil {
		need.Missing(t, "RS_SDK has no rs-enumerate-devices")
	}
	port := plug(t, d435i.Options{})
	for _, args := range [][]string{{}, {"-o"}, {"-c"}, {"-S"}} {
		cmd := exec.Command(tool, args...)
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, "HOME="+t.TempDir())
		var warnings bytes.Buffer
		cmd.Stderr = &warnings
		out, err := cmd.Output()
		if err != nil || !bytes.Contains(out, []byte(serial)) || warnings.Len() > 0 {
			t.Errorf("rs-enumerate-devices %s: %v, %d bytes, %s", args, err, len(out), warnings.Bytes())
		}
		t.Logf("rs-enumerate-devices %s: %d lines", args, bytes.Count(out, []byte("\n")))
	}
	if n := port.Camera().Stalls(); n > 0 {
		t.Errorf("the camera refused %d requests", n)
	}
}
