package bagstore

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

// worst is the greatest severity of the notes.
func worst(notes []Note) Severity {
	s := Harmless
	for _, n := range notes {
		s = max(s, n.Severity)
	}
	return s
}
