package record

import (
	"fmt"

	"rsros/msgs"
)

const lostBefore = "messages were lost before arrival (gaps in header.seq)"

// status describes the recording for ~status and /diagnostics.
func (r *Recording) status() msgs.DiagnosticStatus {
	f, path := r.Figures(), r.files.path()
	devices := len(r.taps) > 0
	dropped := f.Dropped
	if !devices {
		dropped = f.Lost - f.TooLarge
	}
	s := msgs.DiagnosticStatus{Name: "Recording", Message: "recording into " + path}
	switch {
	case devices && closed(r.done):
		s.Level, s.Message = msgs.DiagnosticError, r.err.Error()
	case dropped > 0 || devices && f.Lost > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, r.space.what+" were dropped from "+path
	case !devices && r.missing() > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, lostBefore
	case f.Paused:
		s.Message = "paused, " + path
	}
	add := func(key string, value any) {
		s.Values = append(s.Values, msgs.KeyValue{Key: key, Value: fmt.Sprint(value)})
	}
	addIf := func(on bool, key string, value any) {
		if on {
			add(key, value)
		}
	}
	addIf(devices, "Frames", f.Frames)
	add("Dropped", dropped)
	addIf(devices, "Skipped while paused", f.Skipped)
	if n := r.thinned(); n > 0 {
		add("Left out as wanted", n)
	}
	add("Files", f.Files)
	if devices && len(r.Topics()) > 0 {
		add("Messages", f.Messages)
		add("Messages dropped", f.Lost)
	}
	addIf(f.Written != "", "Written", f.Written)
	addIf(f.Dropping != "", "Dropping", f.Dropping)
	add("Compression", f.Compression)
	addIf(f.Free >= 0, "Free bytes", f.Free)
	addIf(f.Ring != "", "Ring", f.Ring)
	for _, row := range append(f.Rows, Total(f)) {
		add(row.Name, row)
	}
	r.o.Uploads.Report(&s)
	return s
}

// missing returns the number of messages lost before they arrived.
func (r *Recording) missing() (total uint64) {
	for _, t := range r.subscribed() {
		total += t.flow.missing()
	}
	return total
}

// thinned returns the number of messages that Thinning has left out.
func (r *Recording) thinned() (total uint64) {
	for _, t := range r.subscribed() {
		total += t.left.Load()
	}
	return total
}
