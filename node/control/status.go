package control

import (
	"fmt"
	"strconv"
	"time"

	"rsros/msgs"
	"rsros/node/replay"
	"rsros/node/ros"
)

// Status publishes a player's state as ~status, on the player's goroutine.
type Status struct {
	pub *ros.Publisher
	// Set before the player runs; each may be nil.
	Changed func(replay.Status)
	Details func(replay.Status) []msgs.KeyValue // additional values
}

func NewStatus(n *ros.Node) (*Status, error) {
	typ := msgs.MustType("diagnostic_msgs/DiagnosticStatus")
	pub, err := n.Advertise(ros.PublisherOptions{Topic: "~status", Type: typ, Latch: true, Queue: 10})
	return &Status{pub: pub}, err
}

func (p *Status) Publish(s replay.Status) {
	m := statusMessage(s)
	if p.Details != nil {
		m.Values = append(m.Values, p.Details(s)...)
	}
	p.pub.Publish(msgs.Raw{Head: msgs.Marshal(&m)})
	if p.Changed != nil {
		p.Changed(s)
	}
}

// LateWarning is the lateness above which ~status warns: one frame at 30 Hz.
const LateWarning = 33 * time.Millisecond

func statusMessage(s replay.Status) msgs.DiagnosticStatus {
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 6, 64) }
	m := msgs.DiagnosticStatus{Level: msgs.DiagnosticOK, Name: "replay", Message: string(s.State)}
	switch {
	case s.Dropped > 0:
		m.Level = msgs.DiagnosticWarn
		m.Message += fmt.Sprintf(", slow subscribers lost %d messages", s.Dropped)
	case s.Skipped > 0:
		m.Level = msgs.DiagnosticWarn
		m.Message += fmt.Sprintf(", too slow to compute %d times", s.Skipped)
	case s.Late > LateWarning:
		m.Level = msgs.DiagnosticWarn
		m.Message += fmt.Sprintf(", %v late", s.Late.Round(time.Millisecond))
	}
	m.Values = []msgs.KeyValue{
		{Key: "state", Value: string(s.State)},
		{Key: "bag time", Value: seconds(s.Time.Sub(0))},
		{Key: "position", Value: seconds(s.Position)},
		{Key: "duration", Value: seconds(s.Length)},
		{Key: "rate", Value: strconv.FormatFloat(s.Rate, 'g', -1, 64)},
		{Key: "loop", Value: strconv.FormatBool(s.Loop)},
		{Key: "round", Value: strconv.Itoa(s.Round)},
		{Key: "lateness", Value: seconds(s.Late)},
		{Key: "worst lateness", Value: seconds(s.WorstLate)},
		{Key: "messages", Value: strconv.FormatUint(s.Messages, 10)},
		{Key: "bytes", Value: strconv.FormatUint(s.Bytes, 10)},
		{Key: "dropped", Value: strconv.FormatUint(s.Dropped, 10)},
		{Key: "skipped", Value: strconv.FormatUint(s.Skipped, 10)},
	}
	return m
}
