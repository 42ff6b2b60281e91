package naming

import (
	"sync/atomic"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/transport"
)

// outlet is where the messages of one topic go.
type outlet interface {
	wanted() bool // somebody would get them
	publish(msgs.Raw)
}

// openOutlet makes the outlet of a topic. s is the stream whose images it has, nil
// for a topic of other messages.
type openOutlet func(topic, typ string, s *stream) (outlet, error)

// outlets are those of one stream's topics, in the layout's order.
type outlets struct {
	*stream
	numbered bool // messages have the numbers of their frames; otherwise they are counted
	seq      atomic.Uint32
	list     []outlet
}

func newOutlets(s *stream, open openOutlet) (*outlets, error) {
	out := &outlets{stream: s}
	for _, t := range s.topics {
		o, err := open(t.topic, t.typ, s)
		if err != nil {
			return nil, err
		}
		out.list = append(out.list, o)
	}
	return out, nil
}

// publish sends a frame's messages. A picture that there is no memory for is left
// out: subscribers already have more than they can take. lens, if there is one, is
// the frame's, where it isn't the stream's.
func (o *outlets) publish(f *camdriver.Frame, stamp msgs.Time, lens *camdriver.Intrinsics) {
	header := msgs.Header{Seq: uint32(f.Number), Stamp: stamp, FrameID: o.frameID}
	if !o.numbered {
		header.Seq = o.seq.Add(1) - 1
	}
	for i, t := range o.topics {
		to := o.list[i]
		if !to.wanted() {
			continue
		}
		if lens != nil && t.typ == cameraInfoType {
			to.publish(cameraInfoOf(header, f, lens))
		} else if m, ok := t.encode(header, f); ok {
			to.publish(m)
		}
	}
}

// wanted says whether anybody subscribed to one of the stream's topics.
func (o *outlets) wanted() bool {
	for _, to := range o.list {
		if to.wanted() {
			return true
		}
	}
	return false
}

// transports is what the transports beside an image topic have to know.
func (s *stream) transports(topic string, log zerolog.Logger) transport.Options {
	return transport.Options{Topic: topic, Encoding: wrapperEncoding(s.format), Depth: s.depth && s.format == camdriver.Z16, Log: log}
}
