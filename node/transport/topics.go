package transport

import (
	"errors"

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
	p, err := n.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType("sensor_msgs/CompressedImage")})
	if err != nil {
		return err
	}
	one := newTransport(p, encode, o.Log.With().Str("topic", p.Topic()).Logger())
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

// Publish hands a picture to the transports that somebody subscribed to, and returns
// at once. hold gives a reference of what holds the picture's data, which must not
// change until it is released.
func (t *Topics) Publish(h msgs.Header, p imagetransport.Picture, hold func() msgs.Releaser) {
	if t == nil {
		return
	}
	for _, one := range t.transports {
		if one.wanted() {
			one.put(job{h, p, hold()})
		}
	}
}

// Dropped is how many pictures weren't compressed because others were.
func (t *Topics) Dropped() uint64 {
	var n uint64
	if t != nil {
		for _, one := range t.transports {
			n += one.dropped.Load()
		}
	}
	return n
}

// Close ends the topics and waits for what is being compressed. Publish must not be
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
