package bagstore

// Outcome sums up a check or a recovery.
type Outcome int

const (
	Sound      Outcome = iota // nothing wrong, nothing lost
	Damaged                   // readable, but not all of it or not by everyone
	Unreadable                // no message
)

func (o Outcome) String() string { return [...]string{"sound", "damaged", "unreadable"}[o] }

// MarshalText is String, for JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
