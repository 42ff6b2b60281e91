package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUSBServeRefuses checks what can't be served.
func TestUSBServeRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(file, []byte("Intel"), 0o600); err != nil {
		t.Fatal(err)
	}
	var many []string
	for i := range maxServed + 1 {
		many = append(many, "--device", fmt.Sprint("sim:", i))
	}
	for name, test := range map[string]struct {
		args []string
		code int
	}{
		"no recording": {[]string{"--device", file + ".bag"}, exitFailed},
		"another file": {[]string{"--device", file}, exitFailed},
		"many cameras": {many, exitUsage},
		"same serial":  {[]string{"--device", "sim", "--device", "sim"}, exitUsage},
		"real camera":  {[]string{"--device", "usb:1-4"}, exitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, log := command(t, append([]string{"usb-serve", "--listen", "127.0.0.1:0"}, test.args...)...)
			if code != test.code || test.code == exitFailed && strings.Count(log, test.args[1]) != 1 {
				t.Errorf("exit code %d, want %d; the device is to be named once: %s", code, test.code, log)
			}
		})
	}
	want(t, exitUsage, "devices", "--json", "--report", "-o", file)
	want(t, exitUsage, "devices", "--mask-serials")
}
