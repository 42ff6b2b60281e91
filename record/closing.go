package record

import (
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"rsros/program"
)

// logClosing logs what of what the user wanted didn't come, and the last line of a recording, which it returns.
func (r *Recording) logClosing(f Figures) string {
	for _, line := range r.silence() {
		r.log.Warn().Msg(line)
	}
	level, text := r.closing(f)
	r.log.WithLevel(level).Msg(text)
	return text
}

// closing returns the last line of a recording.
func (r *Recording) closing(f Figures) (zerolog.Level, string) {
	if f.Ring != "" && len(f.Paths) == 0 && f.Err == nil {
		ways := "the service ~trigger and the key t"
		if len(r.taps) == 0 {
			ways = "the service ~trigger, the key t, --trigger and --trigger-silence"
		}
		return zerolog.WarnLevel, "nothing was kept: no trigger came; " + ways + " keep what the ring has"
	}
	s := program.Summary{Verb: "recorded", Paths: f.Paths, Size: f.Bytes}
	if len(r.taps) > 0 {
		s.Counts = append(s.Counts, program.Count(f.Frames, "frame"))
	}
	if topics := r.Topics(); len(topics) > 0 || len(r.taps) == 0 {
		s.Counts = append(s.Counts, fmt.Sprintf("%s of %s", program.Count(f.Messages, "message"), program.Count(len(topics), "topic")))
	}
	length := f.Duration
	if len(r.taps) > 0 {
		length = f.Length
	}
	s.Counts = append(s.Counts, length.Round(100*time.Millisecond).String())
	lost := func(n uint64, text string) {
		if n > 0 {
			s.Losses = append(s.Losses, fmt.Sprintf("%d %s", n, text))
		}
	}
	why := r.neck.given(aboutDrops, r.space.what+" were dropped")
	if len(r.taps) > 0 {
		lost(f.Dropped, why)
		lost(f.Lost-f.TooLarge, "messages were dropped")
	} else {
		lost(f.Lost-f.TooLarge, why)
	}
	lost(f.TooLarge, "messages were too large: --memory allows for larger ones")
	lost(r.missing(), r.neck.given(aboutGaps, r.gaps()))
	if f.Frames+f.Messages == 0 && len(s.Losses) == 0 {
		s.Losses = append(s.Losses, "nothing came: the recording is empty, and stays")
	} else if len(f.Paths) > 0 && r.o.Uploads == nil {
		s.Next = program.Name + " info " + f.Paths[0]
	}
	if len(s.Losses) > 0 {
		return zerolog.WarnLevel, s.String()
	}
	return zerolog.InfoLevel, s.String()
}
