package main

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/test/need"
)

// framesOf returns the serial number of each camera of a recording, and how many frames of each stream it has.
func framesOf(t *testing.T, path string) (list []string) {
	t.Helper()
	files, err := rsbag.OpenAll(path, rsbag.Options{})
	need.Must(t, err)
	defer files[0].Close()
	for _, f := range files {
		text := camdriver.Find(f.Snapshot().Info, camdriver.InfoSerialNumber)
		for _, s := range f.Streams() {
			text += fmt.Sprintf(" %s %d", s.Profile.Stream, s.Frames)
		}
		list = append(list, text)
	}
	return list
}

// TestTogether checks that what `live --record-together` writes comes back whole through other commands.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	node := func() []string { // of a live node or a replay, for a second
		l, err := net.Listen("tcp", "127.0.0.1:0")
		need.Must(t, err)
		defer l.Close()
		return []string{"--master", "embedded", "__master:=http://" + l.Addr().String(), "__ip:=127.0.0.1", "--duration", "1"}
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	two := path("two.bag")
	want(t, exitOK, append(node(), "live", "--device", "sim:1", "--device", "sim:2", "--camera", "front", "--camera", "rear",
		"--depth", "424x240@6", "--color", "424x240@6", "--infra1", "off", "--infra2", "off", "--record", two, "--record-together")...)
	recorded := framesOf(t, two)
	if len(recorded) != 2 || recorded[0][:2] != "1 " || recorded[1][:2] != "2 " {
		t.Fatalf("cameras %q", recorded)
	}
	has(t, want(t, exitOK, "info", two), "device_0", "device_1")
	for name, args := range map[string][]string{
		"filtered.bag": {"process", two, "--filters", "temporal"}, "packed.bag": {"convert", two, "--lz4"},
	} {
		want(t, exitOK, append(args, "-o", path(name))...)
		if got := framesOf(t, path(name)); fmt.Sprint(got) != fmt.Sprint(recorded) {
			t.Errorf("%s has %q, want %q", name, got, recorded)
		}
	}
	want(t, exitOK, "convert", two, "-o", path("rear.db3"), "--camera", "device_1")
	if got := framesOf(t, path("rear.db3")); len(got) != 1 || got[0] != recorded[1] {
		t.Errorf("rear.db3 has %q, want %q", got, recorded[1])
	}
	for form, images := range map[string]string{"tum": "rgb/*.png", "euroc": "mav0/cam0/data/*.png"} {
		want(t, exitOK, "export", two, "-o", path(form), "--as", form)
		for _, camera := range []string{"device_0", "device_1"} {
			if list, err := filepath.Glob(filepath.Join(path(form), camera, filepath.FromSlash(images))); err != nil || len(list) == 0 {
				t.Errorf("%s: no images of %s, %v", form, camera, err)
			}
		}
	}
	code, _, log := command(t, "export", two, "-o", path("kalibr"), "--as", "kalibr")
	if code != exitOK && code != exitIncomplete { // images of cameras that run freely may have no partner
		t.Errorf("kalibr: exit code %d, %s", code, log)
	}
	has(t, want(t, exitOK, "info", path("kalibr/kalibr.bag")), "/cam0/image_raw", "/cam1/image_raw")
	want(t, exitOK, append(node(), "play", two, "--naming", "wrapper", "--camera", "device_1")...)
	want(t, exitOK, append(node(), "live", "--device", two, "--recorded-device", "device_1", "--record", path("again.bag"))...)
	if got := framesOf(t, path("again.bag")); len(got) != 1 || got[0][:2] != "2 " {
		t.Errorf("again.bag has %q", got)
	}
}
