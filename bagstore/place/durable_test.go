package place

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rsros/test/need"
)

// TestDurable checks that a file's content is synced before it gets its name, and its folder after that, but for a file that
// can be made again.
func TestDurable(t *testing.T) {
	real := fsync
	defer func() { fsync = real }()
	for _, unsynced := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		var events []string
		fsync = func(f *os.File) error {
			_, err := os.Stat(path)
			events = append(events, fmt.Sprint(filepath.Base(f.Name()), " named: ", err == nil))
			return real(f)
		}
		f, err := Create(t.Context(), path, false)
		need.Must(t, err)
		f.Unsynced = unsynced
		need.Must(t, f.Finish(text("whole")(f.File)))
		want := []string{"x.partial named: false", filepath.Base(dir) + " named: true"}
		if unsynced {
			want = nil
		}
		if !slices.Equal(events, want) {
			t.Errorf("unsynced %v: synced %q, want %q", unsynced, events, want)
		}
	}
}
