package record

import (
	"errors"
	"fmt"
	"syscall"

	"rsros/bagstore/realsense/rsbag"
	"rsros/program"
)

// cause is why something that came isn't in the files.
type cause int

const (
	tooSlow cause = iota // the queue was full
	noSpace              // less than --min-space was free, or too much waited for upload
	failed               // an error ended the recording
	gone                 // another program has taken the file away
	unfit                // the format can't represent it
	late                 // a limit had ended the recording: no loss
	causes
)

var causeTexts = [causes]string{
	tooSlow: "were dropped",
	noSpace: "were dropped: the disk was nearly full (--min-space), or too much waited for upload",
	failed:  "were lost: an error ended the recording",
	gone:    "were lost: another program has deleted, replaced or truncated their file",
	unfit:   "were left out: the file's format can't represent them",
}

// Tally is a number of frames and of messages.
type Tally struct{ Frames, Messages uint64 }

// Losses counts what came and isn't in the files, by cause.
type Losses [causes]Tally

func (l Losses) total() (t Tally) {
	for _, of := range l[:late] {
		t.Frames, t.Messages = t.Frames+of.Frames, t.Messages+of.Messages
	}
	return t
}

// lose counts what was written to a file and isn't in it.
func (t *Tally) lose(written, kept rsbag.RecorderStats) {
	var w, k Figures
	w.add("", written)
	k.add("", kept)
	t.Frames, t.Messages = t.Frames+w.Frames-min(k.Frames, w.Frames), t.Messages+w.Messages-min(k.Messages, w.Messages)
}

// dropped returns what was lost before it was written.
func (r *Recording) dropped() (l Losses) {
	for why := range causes {
		for _, t := range r.taps {
			for _, f := range t.flows.All() {
				l[why].Frames += f.drops(why)
			}
		}
		for _, t := range r.subscribed() {
			l[why].Messages += t.drops(why)
		}
	}
	return l
}

// describe says what was lost, and why.
func (r *Recording) describe(l Losses, err error) (list []string) {
	texts := causeTexts
	if errors.Is(err, syscall.ENOSPC) {
		texts[failed] = "were lost: the disk is full"
	}
	add := func(n uint64, what string, why cause) {
		text := what + " " + texts[why]
		if why == tooSlow && what == r.space.what {
			text = r.neck.given(aboutDrops, text)
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, text))
		}
	}
	for why := range late {
		add(l[why].Frames, "frames", why)
		add(l[why].Messages, "messages", why)
	}
	return list
}

// unreached says that publishers of topics were never connected.
func unreached(topics []string) string {
	text := "publishers of " + topics[0] + " "
	if n := len(topics) - 1; n > 0 {
		text += "and of " + program.Count(n, "more topic") + " "
	}
	return text + "were never reached"
}
