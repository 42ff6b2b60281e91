package bagstore

// CheckOptions are the options of checking a recording.
type CheckOptions struct {
	Progress Progress // in bytes of the file
	// Before, if not nil, is called before each chunk with the time of its first message. It may read the messages up to
	// that time, which are still in memory even if a large file is read past the page cache.
	Before func(Time)
	// Message, if not nil, is called for each message in time order, as by [View.Messages].
	Message func(Message, error)
}

// CheckReport is the result of checking a recording.
type CheckReport struct {
	Path       string  `json:"path"`
	Version    string  `json:"version"`
	Chunks     int     `json:"chunks"`
	Messages   uint64  `json:"messages"`     // whole ones
	OutOfOrder uint64  `json:"out_of_order"` // messages earlier than their predecessor in the file
	Notes      Notes   `json:"notes"`
	Outcome    Outcome `json:"outcome"`
}

// Conclude sets the outcome by what was found.
func (r *CheckReport) Conclude() {
	switch worst := r.Notes.Worst(); {
	case r.Messages == 0 && worst == Loss:
		r.Outcome = Unreadable
	case worst > Harmless:
		r.Outcome = Damaged
	}
}

// RecoverOptions are the options of Recover.
type RecoverOptions struct {
	// Options of the new bag. An empty Compression keeps that of the old one.
	Options
	Progress Progress // in bytes of the file
}

// RecoverReport is the result of Recover.
type RecoverReport struct {
	Kept    uint64         `json:"kept"`
	Lost    uint64         `json:"lost"`    // according to the index; there may be more
	Retimed uint64         `json:"retimed"` // kept with another time, as theirs exceeds what a bag can hold
	Size    int64          `json:"size"`    // of the new file
	Topics  []RecoverTopic `json:"topics"`
	Notes   Notes          `json:"notes"`
	Outcome Outcome        `json:"outcome"` // Sound: nothing was lost
}

// RecoverTopic is the result of Recover for one topic.
type RecoverTopic struct {
	Topic string `json:"topic"`
	Type  string `json:"type"`
	Kept  uint64 `json:"kept"`
	Lost  uint64 `json:"lost"`
}
