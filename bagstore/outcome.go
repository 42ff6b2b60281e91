package bagstore

// Outcome sums up a check or a recovery.
type Outcome int

const (
	Sound      Outcome = iota // nothing wrong, nothing lost
	Damaged                   // readable, but not all of it or not by everyone
	Unreadable                // no message
)

// ExitCode is what a command line tool ends with: 0, 3 or 1.
func (o Outcome) ExitCode() int { return [...]int{0, 3, 1}[o] }

func (o Outcome) String() string { return [...]string{"sound", "damaged", "unreadable"}[o] }

// MarshalText is String, for JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
