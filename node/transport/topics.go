package transport

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/node/graph"
	"rsros/node/ros"
)

// Options say beside which topic pictures are published.
type Options struct {
	Topic    string  // of the image
	Encoding string  // of its pictures: it decides which transports there are, and the defaults
	Depth    bool    // the pictures are depth: there is compressedDepth as well
	Units    float64 // of 16-bit depth: metres a unit; 0 is a millimetre
	Log      zerolog.Logger

	// Queue and QueueBytes are those of ros.PublisherOptions. With Wait, nothing is
	// dropped: the transports wait for room in the queues.
	Queue      int
	QueueBytes int64
	Wait       bool
}

// Topics are the transports of one image topic. A nil Topics has none.
type Topics struct {
	transports []*transport
	groups     []*graph.Reconfigure
}

// Advertise makes the topics and offers their parameters. A picture of an encoding
// that can't be compressed has none.
func Advertise(n *ros.Node, o Options) (*Topics, error) {
	t := &Topics{}
	if imagetransport.Compressible(o.Encoding) {
		c := newCompressed(o.Encoding)
		if err := t.add(n, o, "compressed", c.encode, c.parameters(), c.apply); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	if o.Depth {
		d := newCompressedDepth(o.Encoding, o.Units)
		if err := t.add(n, o, "compressedDepth", d.encode, d.parameters(), d.apply); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	return t, nil
}

func (t *Topics) add(n *ros.Node, o Options, name string, encode encode, parameters []graph.Parameter, apply func(graph.Values) error) error {
	topic := o.Topic + "/" + name
	p, err := n.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType("sensor_msgs/CompressedImage"), Queue: o.Queue, QueueBytes: o.QueueBytes})
	if err != nil {
		return err
	}
	one := newTransport(p, encode, o.Wait, o.Log.With().Str("topic", p.Topic()).Logger())
	t.transports = append(t.transports, one)
	group, err := graph.OfferReconfigure(n, topic, parameters, func(v graph.Values) error {
		one.enabled.Store(v["enable"].(bool))
		return apply(v)
	})
	if err != nil {
		return err
	}
	t.groups = append(t.groups, group)
	return nil
}

// Wanted says whether anybody subscribed to one of the transports.
func (t *Topics) Wanted() bool {
	if t == nil {
		return false
	}
	for _, one := range t.transports {
		if one.wanted() {
			return true
		}
	}
	return false
}

// Beside gives the transports that somebody subscribed to an image message, a
// sensor_msgs/Image, and returns the message for its own topic. It takes over the
// message's reference and returns another one. It never waits.
func (t *Topics) Beside(m msgs.Raw) msgs.Raw {
	if !t.Wanted() {
		return m
	}
	header, picture, err := read(m)
	if err != nil {
		t.transports[0].log.Error().Err(err).Msg("not an image")
		return m
	}
	owner := &shared{owner: m.Owner}
	owner.refs.Store(1)
	m.Owner = owner
	for _, one := range t.transports {
		if one.wanted() {
			owner.refs.Add(1)
			one.put(job{header, picture, owner})
		}
	}
	return m
}

// read takes an image message apart: its pixels are its body, or the whole message is.
func read(m msgs.Raw) (msgs.Header, imagetransport.Picture, error) {
	var head msgs.ImageHead
	pixels := m.Body
	d := msgs.NewDecoder(m.Head)
	if len(m.Head) == 0 {
		d = msgs.NewDecoder(m.Body)
	}
	head.Decode(d)
	if len(m.Head) == 0 {
		pixels = d.Raw(int(head.DataLen))
	}
	return head.Header, imagetransport.Picture{
		Encoding: head.Encoding, Width: int(head.Width), Height: int(head.Height),
		Step: int(head.Step), BigEndian: head.BigEndian, Data: pixels,
	}, d.Err()
}

// shared is one reference held by several.
type shared struct {
	owner msgs.Releaser // may be nil
	refs  atomic.Int32
}

// Release implements msgs.Releaser.
func (s *shared) Release() {
	if s.refs.Add(-1) == 0 && s.owner != nil {
		s.owner.Release()
	}
}

// Drops is what one transport left out so far.
type Drops struct {
	Dropped uint64 // pictures that weren't compressed, because others were
	Lost    uint64 // compressed pictures that subscribers lost, counted once for each
}

// Drops returns what was left out by topic, for all transports.
func (t *Topics) Drops() map[string]Drops {
	if t == nil {
		return nil
	}
	out := map[string]Drops{}
	for _, one := range t.transports {
		d := Drops{Dropped: one.dropped.Load()}
		for _, n := range one.pub.Lost() {
			d.Lost += n
		}
		out[one.pub.Topic()] = d
	}
	return out
}

// Publishers are those of the transports.
func (t *Topics) Publishers() []*ros.Publisher {
	if t == nil {
		return nil
	}
	var out []*ros.Publisher
	for _, one := range t.transports {
		out = append(out, one.pub)
	}
	return out
}

// Settle returns when all pictures that Beside took are compressed and published.
func (t *Topics) Settle(ctx context.Context) error {
	if t == nil {
		return nil
	}
	for _, one := range t.transports {
		if err := one.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the topics and waits for what is being compressed. Beside must not be
// called after it.
func (t *Topics) Close() error {
	if t == nil {
		return nil
	}
	for _, g := range t.groups {
		g.Close()
	}
	for _, one := range t.transports {
		one.close()
	}
	return nil
}
