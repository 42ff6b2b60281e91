package convert

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/program"
	"rsros/test/need"
)

// TestZstdForSDK checks that every message of a .db3 for librealsense is a zstd frame that says its size, which its reader
// wants, and that the recording is the same. The messages of other recordings, which rosbag2 reads, aren't compressed.
func TestZstdForSDK(t *testing.T) {
	in, dir := need.Bag(t, "db3/sdk_rec_raw.db3"), t.TempDir()
	plain, packed, again := filepath.Join(dir, "plain.db3"), filepath.Join(dir, "packed.db3"), filepath.Join(dir, "again.db3")
	for _, o := range []Options{
		{In: in, Out: plain}, {In: in, Out: packed, Bag: bagstore.Options{Compression: bagstore.Zstd}}, {In: packed, Out: again},
	} {
		if _, err := ToDB3(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	a, err := os.ReadFile(plain)
	need.Must(t, err)
	if b, err := os.ReadFile(again); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the messages aren't the same (%v)", err)
	}
	need.Programs(t, "sqlite3")
	frames, err := exec.Command("sqlite3", "-readonly", packed, "SELECT min(substr(data, 1, 4) = X'28B52FFD'), count(*) > 100 FROM messages").Output()
	if err != nil || strings.TrimSpace(string(frames)) != "1|1" {
		t.Errorf("all messages are zstd frames: %s, %v", frames, err)
	}
	if broken, _, err := rsdb3.Check(t.Context(), packed); err != nil || len(broken) > 0 {
		t.Errorf("broken %v, %v", broken, err)
	}
	out := filepath.Join(dir, "robot.db3")
	if _, err := Messages(t.Context(), Options{In: in, Out: out, Bag: bagstore.Options{Compression: bagstore.Zstd}}); !errors.Is(err, program.ErrUsage) {
		t.Errorf("messages with zstd: %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Errorf("%s is there", out)
	}
}
