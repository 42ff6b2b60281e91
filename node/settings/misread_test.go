package settings

import (
	"slices"
	"testing"
)

// TestMisread checks the warnings of misspelt parameters, and of remaps that look like parameters.
func TestMisread(t *testing.T) {
	got := Live.Misread(map[string]any{"depth_widht": 640, "xyzzy": 1, "depth_width": 1, "topic_odom_in": "x", "front": map[string]any{"a": 1}, "stereo_module/exposure": 1},
		map[string]string{"align_depth": "true", "filters": "x", "upload_keep": "true", "/chatter": "/talk"},
		func(name string) bool { return name == "filters" })
	want := []string{
		"parameter ~depth_widht isn't known and has no effect; did you mean depth_width?",
		"parameter ~xyzzy isn't known and has no effect",
		"align_depth:=true renames a topic; to set the parameter, write _align_depth:=true",
		"upload_keep:=true renames a topic; the flag is --upload-keep",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
