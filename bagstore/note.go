package bagstore

import (
	"fmt"
	"slices"
)

// Severity classifies a Note.
type Severity int

const (
	// Harmless is unusual but costs nothing.
	Harmless Severity = iota
	// Repairable makes stock tools refuse or misread the bag. Recover repairs it without loss.
	Repairable
	// Loss means that messages or parts of them are lost.
	Loss
)

func (s Severity) String() string { return [...]string{"note", "repairable", "loss"}[s] }

// MarshalText returns the String, for JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Outcome sums up a check or a recovery.
type Outcome int

const (
	Sound      Outcome = iota // nothing is wrong or lost
	Damaged                   // some messages are lost, or stock tools can't read the bag
	Unreadable                // no message can be read
)

func (o Outcome) String() string { return [...]string{"sound", "damaged", "unreadable"}[o] }

// MarshalText returns the String, for JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Note is something unusual about a bag, such as a missing index or a torn end.
type Note struct {
	Offset   int64    `json:"offset"` // in the file; -1: not about one place
	Kind     string   `json:"kind"`   // of the record there
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
}

// MaxNotes bounds the notes about a file, which may be damaged everywhere.
const MaxNotes = 200

// Notes is a list of at most MaxNotes notes. The zero value is empty.
type Notes []Note

// Add adds a note. If there are MaxNotes, it replaces the last one of those that are less severe, if any.
func (n *Notes) Add(note Note) {
	if len(*n) < MaxNotes {
		*n = append(*n, note)
		return
	}
	least := len(*n) - 1
	for i, old := range slices.Backward(*n) {
		if old.Severity < (*n)[least].Severity {
			least = i
		}
	}
	if (*n)[least].Severity < note.Severity {
		*n = append(slices.Delete(*n, least, least+1), note)
	}
}

// Addf adds a note with a formatted text.
func (n *Notes) Addf(s Severity, offset int64, kind, format string, args ...any) {
	n.Add(Note{Offset: offset, Kind: kind, Severity: s, Text: fmt.Sprintf(format, args...)})
}

// Worst returns the highest severity, Harmless if there are no notes.
func (n Notes) Worst() Severity {
	s := Harmless
	for _, one := range n {
		s = max(s, one.Severity)
	}
	return s
}
