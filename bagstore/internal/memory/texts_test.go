package memory

import (
	"strings"
	"testing"
	"unsafe"

	"rsros/test/need"
)

// TestTexts checks that equal texts share memory and are counted once.
func TestTexts(t *testing.T) {
	var texts Texts
	half := strings.Repeat("x", maxTexts/2)
	first, err := texts.Keep(half)
	need.Must(t, err)
	for range 3 {
		again, err := texts.Keep(strings.Clone(half))
		if err != nil || unsafe.StringData(again) != unsafe.StringData(first) {
			t.Fatalf("an equal text was kept twice, %v", err)
		}
	}
	if _, err := texts.Keep(half + "y"); err == nil {
		t.Error("there is no bound")
	}
	if _, err := texts.Keep(half[1:]); err != nil {
		t.Error(err)
	}
}
