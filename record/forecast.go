package record

import (
	"fmt"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/program"
)

// Speed returns how many bytes a second streams with these profiles have before compression, without those of sensors
// that have no images, which are few.
func Speed(profiles [][]camdriver.Profile) (bytes int64) {
	for p := range (Source{Profiles: profiles}).profiles() {
		bytes += int64(p.FrameSize()) * int64(p.FPS)
	}
	return bytes
}

// forecast says how much a recording of devices writes, and for how long the disk has room; "" without images.
func (r *Recording) forecast(free int64) string {
	speed := int64(0)
	for _, t := range r.taps {
		speed += Speed(t.Profiles)
	}
	if speed == 0 {
		return ""
	}
	text := "about " + program.SizeText(speed) + "/s"
	if r.o.Bag.Kind() != bagstore.None {
		text += " before compression"
	}
	if free < 0 || r.o.Ring.Before > 0 {
		return text
	}
	left := time.Duration(max(free-r.o.MinSpace, 0)/speed) * time.Second
	text += fmt.Sprintf(": the disk has room for %s", roughly(left))
	if r.o.MinSpace > 0 {
		text += fmt.Sprintf(" until %s are free (--min-space)", program.SizeText(r.o.MinSpace))
	}
	return text
}

// roughly returns a time in its largest unit.
func roughly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return program.Count(int64(d/time.Second), "second")
	case d < 2*time.Hour:
		return program.Count(int64(d/time.Minute), "minute")
	}
	return program.Count(int64(d/time.Hour), "hour")
}
