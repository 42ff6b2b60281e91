package record

import (
	"fmt"

	"rsros/msgs"
	"rsros/program/work"
)

// lostBefore says that messages were lost before they arrived.
func (r *Recording) lostBefore() string {
	by := "header.seq"
	if r.o.ROS2() {
		by = "their publishers' numbers"
	}
	return "messages were lost before arrival (gaps in " + by + ")"
}

// Status describes the recording for ~status and /diagnostics.
func (r *Recording) Status() msgs.DiagnosticStatus {
	f, path := r.Figures(), r.files.path()
	devices := len(r.taps) > 0
	dropped := f.Dropped
	if !devices {
		dropped = f.Lost - f.TooLarge
	}
	s := msgs.DiagnosticStatus{Name: "Recording", Message: "recording into " + path}
	switch {
	case devices && work.Closed(r.done):
		s.Level, s.Message = msgs.DiagnosticError, r.err.Error()
	case dropped > 0 || devices && f.Lost > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, r.space.what+" were dropped from "+path
	case !devices && r.missing() > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, r.lostBefore()
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
	thinned := uint64(0)
	for _, t := range r.subscribed() {
		thinned += t.left.Load()
	}
	addIf(thinned > 0, "Left out as wanted", thinned)
	add("Files", f.Files)
	mixed := devices && len(r.Topics()) > 0
	addIf(mixed, "Messages", f.Messages)
	addIf(mixed, "Messages dropped", f.Lost)
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
		total += t.missing()
	}
	return total
}
