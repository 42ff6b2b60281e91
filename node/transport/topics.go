// Package transport publishes the compressed forms of image topics that ROS's image_transport publishes:
// TOPIC/compressed and, for depth, TOPIC/compressedDepth, with the parameters of its plugins.
//
// Each image is compressed once for all subscribers, on a goroutine of the topic, and only while there are any. If
// images arrive faster than they can be compressed, the oldest are dropped and counted. Messages have the image's
// header except header.seq, which counts the messages of the topic, as roscpp's publishers do. Close waits for the
// goroutines.
package transport

import (
	"context"
	"slices"

	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/ros"
	"rsros/ros/graph"
)

// Options describe the images of a topic.
type Options struct {
	Encoding string  // determines the transports and their defaults; "" if the topic has no images
	Depth    bool    // publish compressedDepth as well
	Units    float64 // of 16-bit depth in metres; 0 means a millimetre
	Wait     bool    // drop nothing: the transports wait for room in the queues
}

// Publisher publishes a topic and the compressed forms of its images.
type Publisher struct {
	*ros.Publisher
	transports []*transport
}

// Advertise advertises a topic and, with queues like its own, the transports for its encoding. The parameter server has
// until the end of ctx to answer for their parameters. There are none for an encoding that can't be compressed.
func Advertise(ctx context.Context, n *ros.Node, image ros.PublisherOptions, o Options) (*Publisher, error) {
	pub, err := n.Advertise(image)
	if err != nil {
		return nil, err
	}
	p := &Publisher{Publisher: pub}
	var plugins []plugin
	if imagetransport.Compressible(o.Encoding) {
		plugins = append(plugins, compressed(o.Encoding))
	}
	if o.Depth {
		plugins = append(plugins, compressedDepth(o.Encoding, o.Units))
	}
	for _, f := range plugins {
		if err := p.add(ctx, n, image, o, f); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

func (p *Publisher) add(ctx context.Context, n *ros.Node, image ros.PublisherOptions, o Options, f plugin) error {
	topic := p.Topic() + "/" + f.name
	pub, err := n.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType("sensor_msgs/CompressedImage"),
		Queue: image.Queue, QueueBytes: image.QueueBytes})
	if err != nil {
		return err
	}
	one := newTransport(pub, f.encode, o.Wait, n.Log().With().Str("topic", pub.Topic()).Logger())
	p.transports = append(p.transports, one)
	one.group, err = graph.OfferReconfigure(ctx, n, topic, f.parameters, func(v graph.Values) error {
		one.enabled.Store(v["enable"].(bool))
		f.apply(v)
		return nil
	})
	return err
}

// Wanted reports whether the topic or any of its transports has subscribers.
func (p *Publisher) Wanted() bool { return p.Subscribers() > 0 || p.compresses() }

func (p *Publisher) compresses() bool { return slices.ContainsFunc(p.transports, (*transport).wanted) }

// Publish publishes a message, of which it takes over the reference.
func (p *Publisher) Publish(m msgs.Raw) { p.Publisher.Publish(p.Share(m)) }

// All returns the publishers of the topic and of its transports.
func (p *Publisher) All() []*ros.Publisher {
	out := []*ros.Publisher{p.Publisher}
	for _, one := range p.transports {
		out = append(out, one.pub)
	}
	return out
}

// Drops returns what the topic and each transport left out.
func (p *Publisher) Drops() []Drops {
	list := []Drops{dropsOf(p.Publisher)}
	for _, one := range p.transports {
		d := dropsOf(one.pub)
		d.Dropped = one.newest.Dropped()
		list = append(list, d)
	}
	return list
}

// Close stops the topic and its transports. Nothing must be published afterwards.
func (p *Publisher) Close() {
	for _, one := range p.transports {
		one.close() // waits for the image that is being compressed
	}
	p.Publisher.Close()
}

// Share passes a sensor_msgs/Image to the transports that have subscribers and returns it for publication on its own
// topic. It takes over the message's reference and returns another one. It never waits.
func (p *Publisher) Share(m msgs.Raw) msgs.Raw {
	if !p.compresses() {
		return m
	}
	header, image, err := read(m)
	if err != nil {
		p.transports[0].log.Error().Err(err).Msg("not an image")
		return m
	}
	owner := msgs.Share(m.Owner)
	m.Owner = owner
	for _, one := range p.transports {
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

// dropsOf returns what the subscribers of a topic lost.
func dropsOf(p *ros.Publisher) Drops {
	d := Drops{Topic: p.Topic()}
	for _, n := range p.Lost() {
		d.Lost += n
	}
	return d
}

// Settle waits until all shared images are compressed and published.
func (p *Publisher) Settle(ctx context.Context) error {
	for _, one := range p.transports {
		if err := one.newest.Settle(ctx); err != nil {
			return err
		}
	}
	return nil
}
