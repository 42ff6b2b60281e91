package bagstore

import (
	"fmt"
	"testing"
)

// TestNotesKeepLosses checks that a loss after many harmless notes isn't dropped, nor are the first
// losses.
func TestNotesKeepLosses(t *testing.T) {
	var notes Notes
	for i := range 2 * MaxNotes {
		notes.Addf(Harmless, int64(i), "record", "odd")
	}
	for i := range 2 * MaxNotes {
		if notes.Worst() == Loss != (i > 0) {
			t.Fatalf("%d losses: the worst is %v", i, notes.Worst())
		}
		notes.Addf(Loss, int64(i), "record", "loss %d", i)
	}
	if len(notes) != MaxNotes {
		t.Fatalf("%d notes", len(notes))
	}
	for i, n := range notes {
		if n.Text != fmt.Sprint("loss ", i) {
			t.Fatalf("note %d is %v", i, n)
		}
	}
}
