package bridge

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/program/buffers"
)

// conversion converts the messages of a topic to the other ROS. Its methods may be called from several goroutines.
type conversion struct {
	converter
	toROS2  bool
	image   bool
	dropped []string // fields that the other ROS lacks
	buffers buffers.Pool
	lossy   atomic.Bool // it was said that messages lose something
	log     zerolog.Logger
	sampler zerolog.Sampler
}

type converter interface {
	Convert(to, message []byte) (out []byte, whole bool, err error)
}

func newConversion(c converter, dropped []string, topic string, typ msgs.Type, log zerolog.Logger) *conversion {
	return &conversion{
		converter: c, dropped: dropped, image: typ.MD5 == msgs.MustType("sensor_msgs/Image").MD5,
		log: log.With().Str("topic", topic).Logger(), sampler: &zerolog.BurstSampler{Burst: 1, Period: time.Second},
	}
}

func (c *conversion) other() string {
	if c.toROS2 {
		return "ROS 2"
	}
	return "ROS 1"
}

// message returns a message in the form of the other ROS, which may keep a reference to its parts. It logs why there is
// none.
func (c *conversion) message(parts [][]byte, retain func() buffers.Releaser) (raw msgs.Raw, ok bool) {
	var err error
	if c.image && len(parts) <= 2 {
		if raw, err = c.moveImage(parts); err == nil {
			raw.Owner = retain()
		}
	} else {
		raw, err = c.convert(parts)
	}
	if err != nil && c.sampler.Sample(zerolog.WarnLevel) {
		c.log.Warn().Err(err).Msg("can't convert a message for " + c.other())
	}
	return raw, err == nil
}

func (c *conversion) convert(parts [][]byte) (msgs.Raw, error) {
	in := parts[0]
	if len(parts) > 1 {
		joined := c.buffers.Get()
		defer joined.Release()
		for _, part := range parts {
			joined.Bytes = append(joined.Bytes, part...)
		}
		in = joined.Bytes
	}
	b := c.buffers.Get()
	out, whole, err := c.Convert(b.Bytes, in)
	if err != nil {
		b.Release()
		return msgs.Raw{}, err
	}
	if !whole && !c.lossy.Swap(true) {
		c.log.Warn().Strs("fields", c.dropped).Msg(c.other() + " can't represent all of a message")
	}
	b.Bytes = out
	return msgs.Raw{Body: out, Owner: b}, nil
}

// moveImage encodes the head of a sensor_msgs/Image, whose pixels remain where they are: after the head in the only
// part, or in a part of their own.
func (c *conversion) moveImage(parts [][]byte) (msgs.Raw, error) {
	var e msgs.Encoder
	d := msgs.NewCDRDecoder(parts[0])
	if c.toROS2 {
		e.BeginCDR()
		d = msgs.NewDecoder(parts[0])
	}
	var head msgs.ImageHead
	head.Decode(d)
	if err := d.Err(); err != nil {
		return msgs.Raw{}, err
	}
	pixels := parts[0][len(parts[0])-d.Remaining():]
	if len(parts) == 2 && len(pixels) == 0 {
		pixels = parts[1]
	}
	if len(pixels) < int(head.DataLen) {
		return msgs.Raw{}, fmt.Errorf("an image has %d bytes of pixels, and says %d", len(pixels), head.DataLen)
	}
	pixels = pixels[:head.DataLen] // librealsense writes more
	head.Append(&e)
	return msgs.Raw{Head: e.B, Body: pixels}, nil
}
