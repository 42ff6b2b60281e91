package rsdb3

import (
	"context"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// maxBad is how many rows that can't be read are passed over.
const maxBad = 1000

func (c *checker) rows(ctx context.Context, bag *bagstore.Recording) error {
	v := bag.View(bagstore.Query{})
	bad := 0
	for m, err := range v.Messages() {
		if bad == maxBad || ctx.Err() != nil {
			break
		}
		if err != nil {
			bad++
			c.breaks(14, "%v", err)
			continue
		}
		c.row(c.topics[m.Conn.ID], m)
	}
	return ctx.Err()
}

// atStart is where a description's time of 0 reads.
const atStart = bagstore.MinTime

func (c *checker) row(t topic, m bagstore.Message) {
	if c.rank == 0 && t.Kind != rslayout.TopicFileVersion {
		c.breaks(2, "the first row is on %s, not on /file_version", t.name)
	}
	c.rank++
	text := ""
	if t.isText() {
		var s msgs.String
		if msgs.Unmarshal(m.Data, &s) != nil {
			c.breaks(14, "%s: a row is no text", t.name)
			return
		}
		text = s.Data
	}
	c.times(t, m.Time)
	c.values(t, text)
	switch {
	case t.Kind == rslayout.TopicOptionValue:
		if m.Time == atStart {
			c.description(t)
		}
		c.event(t)
	case t.isData(), t.Kind == rslayout.TopicMetadata, t.Kind == rslayout.TopicNotification:
		c.frame(t, m.Time)
	case t.Kind == rslayout.TopicFileVersion, t.isText():
		c.description(t)
	}
}

// isText reports whether a topic's rows are texts.
func (t topic) isText() bool {
	switch t.Kind {
	case rslayout.TopicDeviceInfo, rslayout.TopicSensorInfo, rslayout.TopicOptionValue, rslayout.TopicOptionText,
		rslayout.TopicPostProcessing, rslayout.TopicStreamInfo, rslayout.TopicTF, rslayout.TopicMetadata,
		rslayout.TopicNotification:
		return true
	}
	return t.isCalibration()
}

// times checks that descriptions are at 0 and frames near it.
func (c *checker) times(t topic, at bagstore.Time) {
	switch t.Kind {
	case rslayout.TopicFileVersion, rslayout.TopicDeviceInfo, rslayout.TopicSensorInfo, rslayout.TopicOptionText,
		rslayout.TopicPostProcessing, rslayout.TopicTF:
		if at != atStart {
			c.breaks(3, "%s is at %v, not at 0", t.name, at.Sub(0))
		}
	case rslayout.TopicOptionValue:
		if s := c.sensor(t.Sensor); at != atStart && !s.options[t.Name] {
			c.breaks(3, "the first value of %s is at %v, not at 0", t.name, at.Sub(0))
		}
	}
	if t.isData() && at.Absolute() {
		c.breaks(3, "%s: frames have times since 1970, not since the start", t.name)
	}
}

func (c *checker) values(t topic, text string) {
	if !t.isText() || t.isOption() || t.Kind == rslayout.TopicPostProcessing {
		return
	}
	for part := range strings.SplitSeq(text, ";") {
		if part != "" && strings.Count(part, "=") != 1 {
			c.breaks(12, "%s: ; or = cuts a value near %.40q", t.name, part)
		}
	}
	if t.Kind != rslayout.TopicMetadata {
		return
	}
	have := make(map[string]bool)
	for p := range rstext.Pairs(text) {
		have[p.Key] = true
	}
	for _, key := range []string{rstext.KeyNumber, rstext.KeyDomain, rstext.KeySystem, rstext.KeyTimestamp} {
		if !have[key] {
			c.breaks(9, "%s: a frame's metadata has no %q", t.name, key)
		}
	}
}

// description checks a row against the one before it in the description.
func (c *checker) description(t topic) {
	c.afterStatic(t)
	s := c.sensors[c.static.Sensor]
	if s != nil && len(s.options) > 0 && !(t.isOption() && t.Sensor == c.static.Sensor) {
		s.ended = true
	}
	switch s := c.sensor; t.Kind {
	case rslayout.TopicOptionValue:
		c.option(t, s(t.Sensor))
	case rslayout.TopicOptionText:
		if c.static.Kind != rslayout.TopicOptionValue || c.static.Name != t.Name || c.static.Sensor != t.Sensor {
			c.breaks(6, "%s doesn't follow its value", t.name)
		}
	case rslayout.TopicPostProcessing:
		if len(s(t.Sensor).options) == 0 {
			c.breaks(7, "%s is before the options of its sensor", t.name)
		}
	case rslayout.TopicCameraInfo, rslayout.TopicImuIntrinsic:
		if c.static.Kind != rslayout.TopicStreamInfo || c.static.prefix != t.prefix {
			c.breaks(4, "%s doesn't follow the stream's info", t.name)
		}
	}
	c.static = t
}

// afterStatic checks what the last row of the description needs after it.
func (c *checker) afterStatic(next topic) {
	if c.static.Kind == rslayout.TopicStreamInfo && !(next.isCalibration() && next.prefix == c.static.prefix) {
		c.breaks(4, "%s has no calibration after it", c.static.name)
	}
}

func (c *checker) option(t topic, s *sensorRows) {
	number := -1
	if id, known := camdriver.ParseOptionID(t.Name); known {
		number = int(id)
	}
	switch {
	case number < 0:
		c.breaks(6, "option %q is unknown to librealsense", t.Name)
	case s.ended || s.options[t.Name]:
		c.breaks(6, "%s begins a second list of its sensor's options", t.name)
	case number < s.last:
		c.breaks(6, "%s is out of the order of rs2_option", t.name)
	}
	s.options[t.Name], s.last = true, max(s.last, number)
}

// event is a row that must not be between a frame and its metadata.
func (c *checker) event(t topic) {
	if c.hasData {
		c.breaks(8, "%s: %s is between a frame and its metadata", c.data.name, t.name)
		c.hasData = false
	}
	s := c.sensor(t.Sensor)
	s.options[t.Name] = true
}

func (c *checker) frame(t topic, at bagstore.Time) {
	switch {
	case t.Kind == rslayout.TopicMetadata && (!c.hasData || c.data.prefix != t.prefix || c.dataAt != at):
		c.breaks(8, "%s: metadata at %v don't follow a frame of their stream and time", t.name, at.Sub(0))
	case t.Kind != rslayout.TopicMetadata && c.hasData:
		c.breaks(8, "%s: a frame at %v has no metadata after it", c.data.name, c.dataAt.Sub(0))
	}
	c.hasData = t.isData()
	c.data, c.dataAt = t, at
}
