package nearest

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

func TestName(t *testing.T) {
	names := []string{"align-depth", "depth_width", "Walk.bag", "depth"}
	for word, want := range map[string]string{
		"align_depth": "align-depth", "depth_widht": "depth_width", "wlak.bag": "Walk.bag", "wal": "Walk.bag", "dpth": "depth", "detph": "depth", "speed": "", "": "", "xyz": "",
	} {
		if got := Name(word, names); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if got := Hint("depht", names) + Hint("xyz", names); got != "; did you mean depth?" {
		t.Error(got)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	need.Must(t, os.WriteFile(filepath.Join(dir, "walk.bag"), nil, 0o600))
	if got, want := File(filepath.Join(dir, "wlak.bag")), "; did you mean "+filepath.Join(dir, "walk.bag")+"?"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := File(filepath.Join(dir, "none", "x"))+File(filepath.Join(dir, "other")), "; there is no folder "+filepath.Join(dir, "none"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
