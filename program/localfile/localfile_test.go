package localfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
)

// TestOpen: a regular file is opened, also through a link; anything else is refused at once.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	need.Must(t, os.WriteFile(file, []byte("text"), 0o600))
	root, err := os.OpenRoot(dir)
	need.Must(t, err)
	defer root.Close()
	for _, path := range []string{file, link} {
		if path == link && !need.Symlink(t, "file", link) {
			continue
		}
		if b, err := Read(path, 4); err != nil || string(b) != "text" {
			t.Errorf("%s: %q, %v", path, b, err)
		}
		f, err := OpenIn(root, filepath.Base(path))
		need.Must(t, err)
		f.Close()
	}
	if _, err := Read(file, 3); err == nil || !strings.Contains(err.Error(), "more than 3 bytes") {
		t.Errorf("a file that is too long: %v", err)
	}
	refused := map[string]string{dir: "folder", os.DevNull: "device"}
	if need.Pipe(t, pipe) {
		refused[pipe] = "named pipe"
		if _, err := OpenIn(root, "pipe"); !errors.Is(err, ErrNotRegular) {
			t.Errorf("below a root: %v", err)
		}
	}
	for path, want := range refused {
		if _, err := Open(path); !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
