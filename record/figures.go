package record

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/program/work"
)

// Figures describes a recording: what a terminal, ~status, /diagnostics and the viewer's page show of it.
type Figures struct {
	Paths    []string      // files that are kept, in order
	Files    int           // so far, without those that a ring has removed
	Bytes    int64         // of the files that are kept
	Written  string        // how the newest file is written: through the page cache or past it; "" for a .db3
	Frames   uint64        // written; of complete files, those in the files
	Messages uint64        // the same of topics
	Topics   int           // of which complete files have messages
	Skipped  uint64        // frames that arrived while paused
	Length   time.Duration // of complete files, from the first message or, of devices, frame to the last
	Losses   Losses
	Dropped  uint64 // frames of Losses
	Lost     uint64 // messages of Losses, and those that were too large for the queue
	TooLarge uint64 // part of Lost

	Unreached []string // topics of which publishers were never connected, after the end

	File        string // the current one
	Paused      bool
	Ended       bool          // or about to end
	Err         error         // that ended it; nil while it runs
	Duration    time.Duration // since it began or, of devices without a ring, since the first frame; without pauses
	Free        int64         // bytes of the disk; -1 if unknown
	Compression string        // of the files
	Ring        string        // what a ring has; "" without one
	Dropping    string        // why messages are dropped until something changes; "" if none are
	Advice      []string      // what the user should know or change
	Uploads     string        // what waits for upload; "" without uploads
	Closing     string        // the last line of the recording, from Camera.Stop
	Rows        []Row         // streams in the order of the devices, then topics sorted by name
}

// Row returns the row of a topic or stream.
func (f Figures) Row(name string) Row {
	if i := slices.IndexFunc(f.Rows, func(r Row) bool { return r.Name == name }); i >= 0 {
		return f.Rows[i]
	}
	return Row{}
}

// add adds a file.
func (f *Figures) add(path string, st rsbag.RecorderStats) {
	f.Paths, f.Files, f.Bytes = append(f.Paths, path), f.Files+1, f.Bytes+st.Size
	for _, stream := range st.Streams {
		f.Frames += stream.Frames
		f.Skipped += stream.Skipped
	}
	f.Written = st.WriteMethod
	f.Messages += st.Messages
	f.Length += st.Duration
}

// Figures describes the recording. It doesn't wait for the disk.
func (r *Recording) Figures() Figures {
	f, path := r.files.totals(), r.files.path()
	for _, t := range r.taps {
		f.Rows = append(f.Rows, t.rows(len(r.taps) > 1)...)
	}
	for _, t := range r.subscribed() {
		f.TooLarge += t.subscriber.Stats().TooLarge
		if t.unreached.Load() > 0 {
			f.Unreached = append(f.Unreached, t.name)
		}
		f.Rows = append(f.Rows, t.row(r.queue.Held(&t.flow)))
	}
	for why, n := range r.dropped() {
		f.Losses[why].Frames += n.Frames
		f.Losses[why].Messages += n.Messages
	}
	lost := f.Losses.total()
	f.Dropped, f.Lost = lost.Frames, lost.Messages+f.TooLarge
	f.File, f.Paused, f.Duration = filepath.Base(path), r.paused.Load(), r.watch.Total()
	if len(r.taps) > 0 && r.o.Ring.Before == 0 {
		f.Duration = f.Length // without the time until the first frame
	}
	f.Free, f.Compression, f.Ring = r.space.left(path), r.o.compression(), r.files.describe()
	f.Dropping, f.Uploads = r.space.reason(), r.o.Uploads.String()
	for kind := range advices {
		if text := r.neck.given(kind, ""); text != "" {
			f.Advice = append(f.Advice, text)
		}
	}
	f.Ended, f.Err = work.Closed(r.full), r.failure()
	return f
}

// failure returns the error that ended the recording, nil while it runs.
func (r *Recording) failure() error {
	if work.Closed(r.done) {
		return r.err
	}
	return nil
}

// Total adds up the rows of a recording, or of several.
func Total(list ...Figures) Row {
	t := Row{Name: "Total", Publishers: -1}
	for _, f := range list {
		for _, r := range f.Rows {
			t.Rate += r.Rate
			t.Speed += r.Speed
			t.Messages += r.Messages
			t.Bytes += r.Bytes
			t.Drops += r.Drops
			t.Queue += r.Queue
			t.Lost += r.Lost
		}
	}
	return t
}

// Row is one topic or stream of a recording.
type Row struct {
	Name       string
	Type       string
	Publishers int     // connected ones of a topic; -1 for streams
	Rate       float64 // messages a second, of the last seconds
	Speed      float64 // bytes a second
	Messages   uint64  // recorded, or waiting
	Bytes      uint64  // of these
	Drops      uint64
	Queue      int64  // bytes that wait for the disk
	Lost       uint64 // before they arrived
}

// String describes the row but for its name.
func (r Row) String() string {
	text := ""
	if r.Type != "" {
		text = r.Type + ", "
	}
	switch {
	case r.Publishers == 1:
		text += "1 publisher, "
	case r.Publishers >= 0:
		text += fmt.Sprintf("%d publishers, ", r.Publishers)
	}
	return text + fmt.Sprintf("%.1f Hz, %.2f MB/s, %d messages, %.1f MB, %d dropped, %d bytes waiting, %d lost before arrival",
		r.Rate, r.Speed/(1<<20), r.Messages, float64(r.Bytes)/(1<<20), r.Drops, r.Queue, r.Lost)
}
