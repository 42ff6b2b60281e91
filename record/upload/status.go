package upload

import (
	"fmt"

	"rsros/msgs"
)

// Status describes a queue.
type Status struct {
	Uploaded uint64 // files
	Waiting  int    // finished files that aren't safe yet
	Bytes    int64  // size of the waiting files
	Sent     int64  // bytes of the file that is being uploaded
	Err      error  // of the last attempt; nil if it succeeded
}

func (s Status) String() string {
	text := fmt.Sprintf("uploaded %d, waiting %d (%d MB)", s.Uploaded, s.Waiting, (s.Bytes+1<<20-1)>>20)
	if s.Err != nil {
		text += ": " + s.Err.Error()
	}
	return text
}

// String describes the queue; it is empty if there is none.
func (q *Queue) String() string {
	if q == nil {
		return ""
	}
	return q.Status().String()
}

// Report adds the queue to the status of a recording.
func (q *Queue) Report(to *msgs.DiagnosticStatus) {
	if q == nil {
		return
	}
	s := q.Status()
	to.Values = append(to.Values,
		msgs.KeyValue{Key: "Files uploaded", Value: fmt.Sprint(s.Uploaded)},
		msgs.KeyValue{Key: "Files waiting for upload", Value: fmt.Sprint(s.Waiting)},
		msgs.KeyValue{Key: "Bytes waiting for upload", Value: fmt.Sprint(s.Bytes)},
		msgs.KeyValue{Key: "Bytes of the current upload", Value: fmt.Sprint(s.Sent)})
	if s.Err == nil {
		return
	}
	to.Values = append(to.Values, msgs.KeyValue{Key: "Upload", Value: s.Err.Error()})
	if to.Level == msgs.DiagnosticOK {
		to.Level, to.Message = msgs.DiagnosticWarn, to.Message+", uploads fail"
	}
}
