package orbbec

import (
	"fmt"

	"rsros/bagstore"
)

// CheckReport is the result of checking the layout.
type CheckReport struct {
	Frames  uint64   `json:"frames"`
	Missing uint64   `json:"missing"`       // numbers that the frames of all streams leave out
	Damaged uint64   `json:"damaged"`       // messages that don't fit their topic
	Why     string   `json:"why,omitempty"` // the error of the last of these
	Notes   []string `json:"notes"`
}

// Checker checks the messages of a recording. It is for one goroutine.
type Checker struct {
	report  CheckReport
	streams map[string]*counter
	topics  []string
}

type counter struct {
	last    uint64
	had     bool
	missing uint64
}

// NewChecker reads the description of a recording.
func NewChecker(bag *bagstore.Bag) *Checker {
	r := Open(bag)
	c := &Checker{report: CheckReport{Notes: r.Notes}, streams: make(map[string]*counter)}
	for _, s := range r.Streams {
		c.streams[s.Topic] = new(counter)
		c.topics = append(c.topics, s.Topic)
	}
	return c
}

// Message checks a message. Those of each topic come in the order of their times.
func (c *Checker) Message(m bagstore.Message) {
	var f Frame
	var err error
	switch kind, _ := parseTopic(m.Conn.Topic); kind {
	case ImageTopic:
		var image Image
		image, err = DecodeImage(m.Data)
		f = image.Frame
	case MotionTopic:
		var motion Motion
		motion, err = DecodeMotion(m.Data)
		f = motion.Frame
	case deviceTopic:
		_, err = decodeDevice(m.Data)
	case profileTopic:
		_, err = decodeVideoProfile(m.Data)
	case propertyTopic:
		_, err = decodeProperty(m.Data)
	}
	if err != nil {
		c.report.Damaged++
		c.report.Why = fmt.Sprintf("%s: %v", m.Conn.Topic, err)
		return
	}
	if s := c.streams[m.Conn.Topic]; s != nil && f != (Frame{}) {
		c.report.Frames++
		if s.had && f.Number > s.last+1 { // a smaller number: the counter began again
			s.missing += f.Number - s.last - 1
		}
		s.last, s.had = f.Number, true
	}
}

// Report returns the report.
func (c *Checker) Report() *CheckReport {
	for _, topic := range c.topics {
		if n := c.streams[topic].missing; n > 0 {
			_, sensor := parseTopic(topic)
			c.report.Missing += n
			c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s: the camera's numbers leave out %d frames", sensorName(sensor), n))
		}
	}
	return &c.report
}
