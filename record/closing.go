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
	if len(r.Topics()) > 0 || len(r.taps) == 0 {
		s.Counts = append(s.Counts, program.Count(f.Messages, "message")+" of "+program.Count(f.Topics, "topic"))
	}
	s.Counts = append(s.Counts, f.Length.Round(100*time.Millisecond).String())
	s.Losses = r.describe(f.Losses, f.Err)
	lost := func(n uint64, text string) {
		if n > 0 {
			s.Losses = append(s.Losses, fmt.Sprintf("%d %s", n, text))
		}
	}
	lost(f.TooLarge, "messages were too large: --memory allows for larger ones")
	if len(f.Unreached) > 0 {
		s.Losses = append(s.Losses, unreached(f.Unreached))
	}
	lost(r.missing(), r.neck.given(aboutGaps, r.gaps()))
	if f.Frames+f.Messages == 0 && len(s.Losses) == 0 {
		s.Losses = append(s.Losses, "nothing came: the recording is empty, and stays")
	} else if len(f.Paths) > 0 && r.o.Uploads == nil {
		s.Next = program.Name + " info " + f.Paths[0]
	}
	level := zerolog.InfoLevel
	if len(s.Losses) > 0 {
		level = zerolog.WarnLevel
	}
	if n := f.Losses[late].Messages; n > 0 { // nobody wanted them
		s.Losses = append(s.Losses, program.Count(n, "message")+" came after the end")
	}
	return level, s.String()
}
