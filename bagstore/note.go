package bagstore

import "fmt"

// Severity says what an irregularity costs.
type Severity int

const (
	// Harmless is unusual, and nothing is lost or slower by it.
	Harmless Severity = iota
	// Repairable makes stock tools refuse or misread the bag; Recover makes a
	// sound one without losing a message.
	Repairable
	// Loss means that messages or parts of them are gone.
	Loss
)

func (s Severity) String() string {
	return [...]string{"note", "repairable", "loss"}[s]
}

// MarshalText is String, for JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Note is something about a bag that its reader should know, such as a missing
// index or a torn end.
type Note struct {
	Offset   int64    `json:"offset"` // in the file; -1: it isn't about one place
	Kind     string   `json:"kind"`   // of the record there
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
}

// MaxNotes bounds what is remembered of a file: one may be damaged everywhere.
const MaxNotes = 200

// Notes is what is unusual about a file, at most MaxNotes of it. The zero value is empty.
type Notes []Note

// Add adds a note if there are fewer than MaxNotes.
func (n *Notes) Add(note Note) {
	if len(*n) < MaxNotes {
		*n = append(*n, note)
	}
}

// Addf is Add with a text to be formatted.
func (n *Notes) Addf(s Severity, offset int64, kind, format string, args ...any) {
	n.Add(Note{Offset: offset, Kind: kind, Severity: s, Text: fmt.Sprintf(format, args...)})
}

// worst is the greatest severity of the notes.
func worst(notes []Note) Severity {
	s := Harmless
	for _, n := range notes {
		s = max(s, n.Severity)
	}
	return s
}
