package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
)

// State is what became of an item.
type State string

// States of items.
const (
	Done        State = "done"
	Incomplete  State = "incomplete" // done, but something was lost or damaged
	Failed      State = "failed"
	Interrupted State = "interrupted" // has no marker

	placing State = "placing" // the output is being given its place
)

// Result is what an item's line and marker say.
type Result struct {
	Item   string `json:"item"`
	State  State  `json:"state"`
	Before bool   `json:"before,omitempty"` // an earlier run did it
	Input  string `json:"input_version,omitempty"`
	Size   int64  `json:"size"`
	Output string `json:"output,omitempty"` // below Options.Out
	// OutputSize is in bytes, 0 for a folder.
	OutputSize int64             `json:"output_size,omitempty"`
	Error      string            `json:"error,omitempty"`
	Log        []string          `json:"log,omitempty"`
	Result     json.RawMessage   `json:"result,omitempty"` // the command's JSON
	Command    []string          `json:"command,omitempty"`
	Files      map[string]string `json:"files,omitempty"` // SHA-256 of Options.Files
	Program    string            `json:"program,omitempty"`
	Begun      time.Time         `json:"begun,omitzero"`
	Seconds    float64           `json:"seconds,omitempty"`
	// Owned is the output that a later run may replace. Only markers have it.
	Owned string `json:"owned_output,omitempty"`
}

const (
	// MaxResult bounds an Outcome's Result in bytes, so that many items at a time fit into memory.
	MaxResult = 1 << 20
	// maxMarker bounds what is read of a marker, in bytes.
	maxMarker = 2 << 20
)

// marker is a Result in a file or object.
type marker struct {
	name    string
	version string // of the object; empty if there is none
	Result
}

// read reads the marker. One that doesn't parse is replaced like that of a failed item.
func (m *marker) read(ctx context.Context) error {
	m.version, m.Result = "", Result{}
	f, err := place.Open(ctx, m.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	info := f.Info()
	if m.version = info.Version; info.Size > maxMarker {
		return nil
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size))
	if err != nil {
		return fmt.Errorf("marker %s: %w", m.name, err)
	}
	if json.Unmarshal(text, &m.Result) != nil {
		m.Result = Result{}
	}
	return nil
}

// maxPlacing is how long a run waits for another one to give an output its place.
const maxPlacing = 10 * time.Minute

// await reads the marker until the run that claimed the item has written its result. While a store replaces an object,
// there may be none.
func (m *marker) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, maxPlacing)
	defer cancel()
	for {
		if err := m.read(ctx); err != nil || m.State == Done || m.State == Incomplete || m.State == Failed {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", errTaken, ctx.Err())
		}
	}
}

// put writes the marker if it is still the one that was read.
func (m *marker) put(ctx context.Context, res Result) error {
	text, err := json.Marshal(res)
	if err == nil && len(text) > maxMarker {
		res.Result, res.Log = nil, []string{fmt.Sprintf("the result is too long for a marker: %d bytes", len(text))}
		text, err = json.Marshal(res)
	}
	if err != nil {
		return err
	}
	info, err := place.Put(ctx, m.name, bytes.NewReader(text), int64(len(text)),
		place.PutOptions{New: m.version == "", Replaces: m.version})
	if errors.Is(err, fs.ErrExist) || errors.Is(err, place.ErrChanged) || errors.Is(err, bagstore.ErrLocked) ||
		errors.Is(err, fs.ErrNotExist) {
		return errTaken
	}
	if err == nil {
		m.version, m.Result = info.Version, res
	}
	return err
}
