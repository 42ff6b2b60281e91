package verify

import (
	"fmt"
	"time"

	"rsros/bagstore"
)

// Kind is what happened to a thing.
type Kind string

// The kinds.
const (
	Changed Kind = "changed"
	Dropped Kind = "dropped"
	Added   Kind = "added"
	Swapped Kind = "swapped" // it is whole, and at another place
)

// Difference is one between a recording and what was signed.
type Difference struct {
	Kind   Kind          `json:"kind"`
	What   string        `json:"what"`            // such as "chunk" or "message"
	Chunk  int           `json:"chunk,omitempty"` // number of the chunk, from 1; 0: none
	Offset int64         `json:"offset"`          // in the file; -1: it isn't there
	Topic  string        `json:"topic,omitempty"`
	Time   bagstore.Time `json:"time_ns,omitempty"`
	Text   string        `json:"text"`
}

// Report is the result of verifying a recording.
type Report struct {
	Path      string    `json:"path"`
	Part      bool      `json:"part"` // compared with the messages of the recording it was cut from
	Key       string    `json:"key"`
	Recording string    `json:"recording"` // as it was signed
	Root      string    `json:"root"`
	Signed    time.Time `json:"signed"`         // by the recorder's clock
	Complete  bool      `json:"complete"`       // the recording was ended; otherwise it is proven up to its last checkpoint
	Open      []string  `json:"open,omitempty"` // the recordings that weren't ended
	Chunks    uint64    `json:"chunks"`
	Messages  uint64    `json:"messages"` // that are as signed
	Unproven  int64     `json:"unproven"` // bytes after what is signed, of a recording that wasn't ended
	// UnprovenMessages of a part are later than what is signed, of a recording that wasn't ended.
	UnprovenMessages uint64       `json:"unproven_messages"`
	LeftOut          uint64       `json:"left_out"` // messages of a part's topics, between its first and last one, that it doesn't have
	Differences      []Difference `json:"differences"`
	More             uint64       `json:"more,omitempty"` // differences that aren't listed
	Note             string       `json:"note,omitempty"`
}

// maxDifferences bounds the list: a file may differ everywhere.
const maxDifferences = 1000

func (r *Report) add(d Difference) {
	if len(r.Differences) == maxDifferences {
		r.More++
		return
	}
	r.Differences = append(r.Differences, d)
}

func (r *Report) note(text string) {
	if r.Note != "" {
		r.Note += "; "
	}
	r.Note += text
}

// Same reports whether nothing differs.
func (r *Report) Same() bool { return len(r.Differences) == 0 }

func (d Difference) String() string { return fmt.Sprintf("%s: %s", d.Kind, d.Text) }

// stamp formats a time as seconds, as bags have it.
func stamp(t bagstore.Time) string { return fmt.Sprintf("%d.%09d", t.Sec(), t.Nsec()) }
