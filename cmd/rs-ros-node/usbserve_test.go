package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestUSBServeRefuses checks what can't be served.
func TestUSBServeRefuses(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report.ZIP")
	if err := os.WriteFile(report, []byte("PK"), 0o600); err != nil {
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
		"damaged report": {[]string{"--device", report}, exitFailed},
		"no report":      {[]string{"--device", report + ".zip"}, exitFailed},
		"many cameras":   {many, exitUsage},
		"same serial":    {[]string{"--device", "sim", "--device", "sim"}, exitUsage},
		"real camera":    {[]string{"--device", "usb"}, exitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			want(t, test.code, append([]string{"usb-serve", "--listen", "127.0.0.1:0"}, test.args...)...)
		})
	}
	want(t, exitUsage, "devices", "--json", "--report", report)
	want(t, exitUsage, "devices", "--mask-serials")
}
