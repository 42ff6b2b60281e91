package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/program"
	"rsros/record/upload"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// The ways to lose a file while it is recorded.
var losses = map[string]func(path string) error{
	"deleted": os.Remove,
	"replaced": func(path string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.WriteFile(path, []byte("keep"), 0o666)
	},
	"truncated": func(path string) error { return os.Truncate(path, 100) },
}

// TestCameraFileGone checks that a camera's recording goes on in a new file, that the loss is reported, and that what has
// the lost file's name isn't uploaded.
func TestCameraFileGone(t *testing.T) {
	for name, lose := range losses {
		for _, ext := range []string{extBag, extDB3, extMCAP} {
			t.Run(name+ext, func(t *testing.T) { cameraFileGone(t, ext, lose, name == "replaced") })
		}
	}
}

func cameraFileGone(t *testing.T, ext string, lose func(string) error, replaced bool) {
	dir := t.TempDir()
	uploads := waitingQueue(t, upload.Options{}, dir)
	s := newStudio(t, Options{Uploads: uploads})
	base := filepath.Join(dir, "x")
	path := base + ext
	if _, err := s.Start(path); err != nil {
		t.Fatal(err)
	}
	if ext == extMCAP {
		s.raise(3) // its description is shorter
	}
	awaitReadable(t, path, 3*(depth0.FrameSize()+color0.FrameSize()))
	if err := lose(path); err != nil {
		_, _ = s.Stop() // the file must not stay open
		need.NotOnWindows(t, err)
	}
	next := partPath(base, 1, ext)
	peer.Await(t, next, func() bool {
		s.raise(1)
		_, err := os.Stat(next)
		return err == nil
	})
	s.raise(3)
	f, err := s.Stop()
	if !errors.Is(err, bagstore.ErrGone) || !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("ended with %v", err)
	}
	take, found := rig.ReadTake(t, next), uint64(0)
	each(t, next, func(m bagstore.Message) {
		if strings.HasSuffix(m.Conn.Topic, "/image/data") {
			found++
		}
	})
	if len(take.Depth) < 3 || f.Frames != found || f.Losses != (Losses{gone: {Frames: s.count[0] + s.count[1] - found}}) {
		t.Errorf("%d frames in the new file; %d were recorded, %v lost", found, f.Frames, f.Losses)
	}
	if n := uploads.Status().Waiting; n != 1 || !uploads.Safe(path) || uploads.Safe(next) {
		t.Errorf("%d files wait for upload, want %s", n, next)
	}
	if replaced {
		if got, err := os.ReadFile(path); err != nil || string(got) != "keep" {
			t.Errorf("the stranger's file holds %q, %v", got, err)
		}
	}
}

// TestTopicFileGone checks the same for a recording of topics, also while they are silent.
func TestTopicFileGone(t *testing.T) {
	master := rig.Master(t).URI()
	talker(t, master, "/chatter", strings.Repeat("hi", 8<<10))
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			o := config(t, master, Options{Topics: []string{"/chatter"}})
			r, ended := start(t, o)
			awaitReadable(t, o.Output+activeSuffix, 16<<10)
			if err := lose(o.Output + activeSuffix); err != nil {
				r.Stop()
				<-ended
				need.NotOnWindows(t, err)
			}
			peer.Await(t, "the next file", func() bool {
				_, err := os.Stat(partPath(strings.TrimSuffix(o.Output, extBag), 1, extBag) + activeSuffix)
				return err == nil
			})
			r.Stop()
			if err := <-ended; !errors.Is(err, program.ErrIncomplete) {
				t.Errorf("ended with %v", err)
			}
			if _, err := summarize(t, partPath(strings.TrimSuffix(o.Output, extBag), 1, extBag)); err != nil {
				t.Error(err)
			}
		})
	}
}

// awaitReadable waits until readers see more than size bytes of messages in a recording, so that nothing is being written: what
// is would make a truncated file as long as it should be.
func awaitReadable(t *testing.T, path string, size int) {
	t.Helper()
	peer.Await(t, "the messages in the file", func() bool {
		b, _ := os.ReadFile(path)
		return readable(b) > uint64(size)
	})
}

// readable returns the length that the header of a recording states, which is written last: where a bag's index is, or the pages of
// a .db3; 0 if there is none. Of an MCAP, all can be read.
func readable(b []byte) uint64 {
	if bytes.HasPrefix(b, []byte("\x89MCAP0\r\n")) {
		return uint64(len(b))
	}
	if bytes.HasPrefix(b, []byte("SQLite format 3\x00")) && len(b) >= 32 {
		return uint64(binary.BigEndian.Uint16(b[16:])) * uint64(binary.BigEndian.Uint32(b[28:]))
	}
	_, value, _ := bytes.Cut(b, []byte("index_pos="))
	if len(value) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(value)
}
