package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/samplebag"
)

// TestIMUNoise checks that export accepts the output of imu-noise.
func TestIMUNoise(t *testing.T) {
	dir := t.TempDir()
	bag, yaml := filepath.Join(dir, "still.bag"), filepath.Join(dir, "imu.yaml")
	n := samplebag.Noise{Density: 1e-3, Walk: 5e-4, Hz: 100, Seconds: 600}
	samplebag.WriteIMU(t, bag, n, n, false)
	stdout := want(t, exitOK, "imu-noise", bag, "-o", yaml)
	if !strings.Contains(stdout, "gyroscope: /camera/gyro/sample, 600 s, 100.00 Hz, 60000 samples") || strings.Count(stdout, "noise density") != 8 {
		t.Error(stdout)
	}
	want(t, exitFailed, "imu-noise", bag, "-o", yaml) // the output exists
	var report struct {
		Gyroscope struct {
			Density struct{ Value float64 } `json:"noise_density"`
			Curve   []any                   `json:"allan_deviation"`
		}
	}
	if err := json.Unmarshal([]byte(want(t, exitOK, "imu-noise", bag, "--json", "--end", "300")), &report); err != nil || report.Gyroscope.Density.Value == 0 || len(report.Gyroscope.Curve) == 0 {
		t.Errorf("%v %+v", err, report)
	}
	want(t, exitIncomplete, "imu-noise", bag, "-t", "/camera/gyro/sample")
	want(t, exitFailed, "imu-noise", samplebag.Data(t, "sw_small_lz4.bag")) // it moves
	want(t, exitUsage, "imu-noise", bag, bag)
	for form, file := range map[string]string{"kalibr": "imu.yaml", "euroc": "mav0/imu0/sensor.yaml"} {
		out := filepath.Join(dir, form)
		want(t, exitOK, "export", samplebag.Data(t, "sw_small_lz4.bag"), "--as", form, "--dir", out, "--imu-noise", yaml)
		measured, err := os.ReadFile(yaml)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, file))
		if _, values, _ := strings.Cut(string(measured), "\ngyroscope"); err != nil || !strings.Contains(string(text), values) {
			t.Errorf("%v\n%s\nlacks\n%s", err, text, values)
		}
	}
}
