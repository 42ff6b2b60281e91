package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"rsros/test/samplebag"
)

// TestCameras checks that a command which has a place for one camera asks for its name.
func TestCameras(t *testing.T) {
	two := samplebag.Cameras(t, "robot1/wrist/depth.rvl", "front/color.jpeg", "front/depth.raw", "robot1/wrist/color.raw")
	n := 0
	out := func(ext string) string {
		n++
		return filepath.Join(t.TempDir(), fmt.Sprint(n, ext))
	}
	for _, c := range [][]string{
		{"convert", two, "-o", out(".db3"), "--realsense"},
		{"play", two, "--naming", "wrapper"},
		{"usb-serve", "--device", two, "--listen", "127.0.0.1:0"},
	} {
		want(t, exitUsage, c...)
		want(t, exitUsage, append(c, "--camera", "side")...)
	}
	for _, c := range [][]string{
		{"process", two, "-o", out(".bag"), "--filters", "spatial"},
		{"process", two, "-o", out(".bag"), "--filters", "spatial", "--camera", "robot1/wrist"},
		{"convert", two, "-o", out(".db3"), "--realsense", "--camera", "front"},
		{"convert", two, "-o", out(".bag"), "--realsense"},
		{"export", two, "-o", out(""), "--camera", "front"},
		{"export", two, "-o", out(""), "--as", "tum"},
		{"check", "--sync", two, "-o", out(".svg")},
	} {
		want(t, exitOK, c...)
	}
	want(t, exitUsage, "convert", two, "-o", out(".mcap"), "--camera", "front") // its messages stay as they are
	want(t, exitUsage, "check", two, "-o", out(".svg"))
	alone := samplebag.Cameras(t, "front/color.raw")
	want(t, exitIncomplete, "check", "--sync", "required", alone)
	want(t, exitOK, "check", "--sync", alone)
}
