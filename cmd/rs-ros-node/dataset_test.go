package main

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestDataSetPlaces: a data set in a bucket has the files of one in a folder; batch makes one of each
// recording, and makes it once.
func TestDataSetPlaces(t *testing.T) {
	b := bucket.Start(t)
	dir := t.TempDir()
	bag := samplebag.Data(t, "sw_small_lz4.bag")
	in, local := b.Put("in/walk.bag", bag), filepath.Join(dir, "local")
	want(t, exitOK, "export", bag, "--as", "tum", "-o", local, "--end", "0.2")
	want(t, exitOK, "export", in, "--as", "tum", "-o", b.Address("set"), "--end", "0.2")
	for _, name := range []string{"associations.txt", "groundtruth.txt", "calibration.txt"} {
		text, err := os.ReadFile(filepath.Join(local, name))
		need.Must(t, err)
		f, err := place.Open(t.Context(), b.Address("set/"+name))
		need.Must(t, err)
		got := make([]byte, len(text)+1)
		n, _ := f.ReadAt(got, 0) // an error shows as a difference
		if string(got[:n]) != string(text) {
			t.Errorf("%s in the bucket: %q, want %q", name, got[:n], text)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	want(t, exitOK, "export", in, "--as", "tum", "-o", b.Address("set"), "--end", "0.2") // it is complete already
	want(t, exitFailed, "export", in, "--as", "tum", "-o", b.Address("set"), "--end", "0.1")

	want(t, exitOK, "export", in, bag, "--as", "euroc", "-o", b.Address("two"), "--end", "0.2")
	for _, name := range []string{"walk/mav0/cam0/data.csv", "sw_small_lz4/mav0/cam0/data.csv", "manifest.json"} {
		if _, err := place.Stat(t.Context(), b.Address("two/"+name)); err != nil {
			t.Error(err)
		}
	}

	folder := filepath.Join(dir, "bags")
	need.Must(t, os.Mkdir(folder, 0o777))
	for _, name := range []string{"a.bag", "b.bag"} {
		text, err := os.ReadFile(bag)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o666)
		}
		need.Must(t, err)
	}
	args := []string{"batch", "export", folder, "-o", filepath.Join(dir, "sets"), "--", "--as", "euroc", "--end", "0.2"}
	want(t, exitOK, args...)
	manifests, err := filepath.Glob(filepath.Join(dir, "sets/*/manifest.json"))
	if err != nil || len(manifests) != 2 {
		t.Fatalf("%v, %v", manifests, err)
	}
	before, err := os.Stat(manifests[0])
	need.Must(t, err)
	want(t, exitOK, args...)
	if after, err := os.Stat(manifests[0]); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the second run wrote %s again, %v", manifests[0], err)
	}
}
