// Package transport publishes the compressed forms of image topics that ROS's
// image_transport publishes: TOPIC/compressed and, for depth, TOPIC/compressedDepth,
// with the parameters of its plugins.
//
// Each image is compressed once for all subscribers, on a goroutine of the topic, and
// only while there are any. If images arrive faster than they can be compressed, the
// oldest are dropped and counted. Messages have the image's header except header.seq,
// which counts the messages of the topic, as roscpp's publishers do. Close waits for the
// goroutines.
package transport

import (
	"context"
	"slices"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/ros"
	"rsros/ros/graph"
)

// Options describe the image topic to compress.
type Options struct {
	Topic    string  // of the image
	Encoding string  // of the image; determines the transports and their defaults
	Depth    bool    // publish compressedDepth as well
	Units    float64 // of 16-bit depth in metres; 0 means a millimetre
	Log      zerolog.Logger

	// Queue and QueueBytes are those of ros.PublisherOptions. With Wait, nothing is
	// dropped: the transports wait for room in the queues.
	Queue      int
	QueueBytes int64
	Wait       bool
}

// Topics are the transports of one image topic; nil has none.
type Topics []*transport

// Advertise advertises the topics. The parameter server has until the end of ctx to answer for their parameters. There are none for an encoding that can't be compressed.
func Advertise(ctx context.Context, n *ros.Node, o Options) (t Topics, err error) {
	var forms []form
	if imagetransport.Compressible(o.Encoding) {
		forms = append(forms, compressed(o.Encoding))
	}
	if o.Depth {
		forms = append(forms, compressedDepth(o.Encoding, o.Units))
	}
	for _, f := range forms {
		if err := t.add(ctx, n, o, f); err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}

func (t *Topics) add(ctx context.Context, n *ros.Node, o Options, f form) error {
	topic := o.Topic + "/" + f.name
	p, err := n.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType("sensor_msgs/CompressedImage"), Queue: o.Queue, QueueBytes: o.QueueBytes})
	if err != nil {
		return err
	}
	one := newTransport(p, f.encode, o.Wait, o.Log.With().Str("topic", p.Topic()).Logger())
	*t = append(*t, one)
	one.group, err = graph.OfferReconfigure(ctx, n, topic, f.parameters, func(v graph.Values) error {
		one.enabled.Store(v["enable"].(bool))
		f.apply(v)
		return nil
	})
	return err
}

// Wanted reports whether any of the transports has subscribers.
func (t Topics) Wanted() bool { return slices.ContainsFunc(t, (*transport).wanted) }

// Share passes a sensor_msgs/Image to the transports that have subscribers and returns
// it for publication on its own topic. It takes over the message's reference and
// returns another one. It never waits.
func (t Topics) Share(m msgs.Raw) msgs.Raw {
	if !t.Wanted() {
		return m
	}
	header, image, err := read(m)
	if err != nil {
		t[0].log.Error().Err(err).Msg("not an image")
		return m
	}
	owner := msgs.Share(m.Owner)
	m.Owner = owner
	for _, one := range t {
		if one.wanted() {
			one.newest.Put(job{header, image, owner.Retain()})
		}
	}
	return m
}

// read decodes an image message, whose pixels are its body or part of it.
func read(m msgs.Raw) (msgs.Header, imagetransport.Image, error) {
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
	return head.Header, imagetransport.Image{
		Encoding: head.Encoding, Width: int(head.Width), Height: int(head.Height),
		Step: int(head.Step), BigEndian: head.BigEndian, Data: pixels,
	}, d.Err()
}

// Drops is what one topic left out so far.
type Drops struct {
	Topic   string
	Dropped uint64 // images that weren't compressed, because others were
	Lost    uint64 // messages that subscribers lost, counted once for each
}

// DropsOf returns what the subscribers of a topic lost.
func DropsOf(p *ros.Publisher) Drops {
	d := Drops{Topic: p.Topic()}
	for _, n := range p.Lost() {
		d.Lost += n
	}
	return d
}

// Drops returns what each transport left out.
func (t Topics) Drops() (list []Drops) {
	for _, one := range t {
		d := DropsOf(one.pub)
		d.Dropped = one.newest.Dropped()
		list = append(list, d)
	}
	return list
}

// Publishers returns the publishers of the transports.
func (t Topics) Publishers() (out []*ros.Publisher) {
	for _, one := range t {
		out = append(out, one.pub)
	}
	return out
}

// Settle waits until all shared images are compressed and published.
func (t Topics) Settle(ctx context.Context) error {
	for _, one := range t {
		if err := one.newest.Settle(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close waits for images that are being compressed. Share must not be called afterwards.
func (t Topics) Close() {
	for _, one := range t {
		one.close()
	}
}
