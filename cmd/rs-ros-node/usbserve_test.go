package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestUSBServeRefuses checks what can't be served.
func TestUSBServeRefuses(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report.ZIP")
	if err := os.WriteFile(report, []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	many := slices.Repeat([]string{"--device", "sim"}, maxServed+1)
	for name, test := range map[string]struct {
		args []string
		code int
	}{
		"damaged report": {[]string{"--device", report}, exitFailed},
		"no report":      {[]string{"--device", report + ".zip"}, exitFailed},
		"many cameras":   {many, exitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			want(t, test.code, append([]string{"usb-serve", "--listen", "127.0.0.1:0"}, test.args...)...)
		})
	}
	want(t, exitUsage, "devices", "--json", "--report", report)
}
