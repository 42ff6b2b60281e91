package nearest

import "testing"

func TestName(t *testing.T) {
	names := []string{"align-depth", "depth_width", "Walk.bag", "depth"}
	for word, want := range map[string]string{
		"align_depth": "align-depth", "depth_widht": "depth_width", "wlak.bag": "Walk.bag", "wal": "Walk.bag", "dpth": "depth", "speed": "", "": "", "xyz": "",
	} {
		if got := Name(word, names); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if got := Hint("depht", names) + Hint("xyz", names); got != "; did you mean depth?" {
		t.Error(got)
	}
}
