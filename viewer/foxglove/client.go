package foxglove

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"rsros/msgs"
	"rsros/viewer/clients"
)

// client is one connection. In addition to the reading and the writing goroutine, it has a third one for requests that
// may take time, setting parameters and controlling playback, in order.
type client struct {
	*clients.Client
	s     *Server
	clock *clients.Subscription

	calls chan struct{}    // one for each service call under way; the reading goroutine sends, each call receives
	slow  chan slowRequest // for the third goroutine, from the reading one; never closed

	// The server's mu guards these.
	subs         map[uint32]*subscription // by the client's numbers; nil after the topic was removed
	watched      map[uint32]bool          // numbers of the channels of subs
	params       map[string]bool
	allParams    bool
	followsGraph bool
	playback     bool // has sent a playback command

	// Used by the reading goroutine.
	publishing map[uint32]Publisher // by the client's numbers
	faults     []time.Time          // of the last invalid messages, the oldest first

	// Used by the writing goroutine.
	time  instant // last sent to the client
	drops dropStatus
	parts [][]byte
	head  []byte
}

func newClient(s *Server, conn *clients.Client) *client {
	c := &client{
		Client: conn, s: s, calls: make(chan struct{}, maxCalls), slow: make(chan slowRequest, maxCalls),
		subs: make(map[uint32]*subscription), watched: make(map[uint32]bool), params: make(map[string]bool),
		publishing: make(map[uint32]Publisher),
	}
	send := func(i clients.Item, _ clients.Delivery) error { return c.sendTime(i.(*instant)) }
	c.clock = conn.Subscribe(clients.Options{Class: clients.ClassTime, Messages: 1, Send: send})
	return c
}

func (s *Server) capabilities() []string {
	list := []string{}
	if s.graph != nil {
		list = append(list, "connectionGraph", "parameters", "parametersSubscribe")
		if s.o.Control {
			list = append(list, "clientPublish", "services")
		}
	}
	if _, _, playing := s.playback(); playing {
		list = append(list, "time")
		if s.o.Control {
			list = append(list, "playbackControl")
		}
	}
	return list
}

// object is a text message, without its op.
type object map[string]any

// send queues a text message.
func (c *client) send(op string, message any) {
	text, err := clients.Encode(op, message)
	if err != nil {
		text, _ = clients.Encode("status", status{Level: levelError, Message: err.Error()})
	}
	c.Send(websocket.MessageText, text)
}

func (c *client) status(l level, text string) {
	c.send("status", status{Level: l, Message: text})
}

// doSlow executes the requests that may take time.
func (c *client) doSlow() error {
	c.s.follow()
	for {
		select {
		case r := <-c.slow:
			r.do()
			c.Unreserve(r.kept)
		case <-c.Context().Done():
			return nil
		}
	}
}

// Tick implements clients.Member.
func (c *client) Tick(now time.Time) { c.drops.update(c, now) }

func quoted(text string) string { return strconv.QuoteToASCII(text) }

// A client that sends maxFaults invalid messages within faultTime is disconnected.
const (
	maxFaults = 20
	faultTime = 10 * time.Second
)

// Handle executes a message of the client.
func (c *client) Handle(kind websocket.MessageType, message []byte) error {
	var err error
	if kind == websocket.MessageText {
		err = c.text(message)
	} else if len(message) > 0 {
		err = c.binary(message)
	}
	if err == nil {
		return nil
	}
	c.status(levelError, "Invalid message: "+err.Error())
	now := time.Now()
	if c.faults = append(c.faults, now); len(c.faults) >= maxFaults {
		if now.Sub(c.faults[0]) < faultTime {
			return c.Close(websocket.StatusPolicyViolation, "too many invalid messages")
		}
		c.faults = c.faults[1:]
	}
	return nil
}

func (c *client) binary(message []byte) error {
	parsed, err := parseBinary(message)
	if err != nil {
		return err
	}
	switch r := parsed.(type) {
	case published:
		c.publish(r)
	case serviceRequest:
		c.call(r)
	case playbackControl:
		c.later(len(message), func() { c.play(r) })
	}
	return nil
}

// text executes a text message. An error means that the message is invalid.
func (c *client) text(message []byte) error {
	decoded := decodedFactor * int64(len(message))
	if !c.Reserve(decoded) {
		return errors.New("clients send too much at once")
	}
	defer c.Unreserve(decoded)
	r, err := parseText(message)
	if err != nil {
		return err
	}
	switch r.Op {
	case "subscribe":
		each(r.Subscriptions, c.subscribe)
	case "unsubscribe":
		each(r.SubscriptionIDs, c.unsubscribe)
	case "advertise":
		each(r.Channels, c.beginPublishing)
	case "unadvertise":
		each(r.ChannelIDs, c.endPublishing)
	case "getParameters":
		c.later(len(message), func() { c.getParams(r.ParameterNames, r.ID) })
	case "setParameters":
		if !c.s.o.Control {
			c.status(levelError, "setParameters: this client may not set parameters")
			break
		}
		c.later(len(message), func() { c.setParams(r.Parameters, r.ID) })
	case "subscribeParameterUpdates":
		c.followParams(r.ParameterNames, true)
	case "unsubscribeParameterUpdates":
		c.followParams(r.ParameterNames, false)
	case "subscribeConnectionGraph":
		c.followGraph(true)
	case "unsubscribeConnectionGraph":
		c.followGraph(false)
	case "fetchAsset":
		c.status(levelError, "fetchAsset: the capability assets isn't declared")
	default:
		return fmt.Errorf("unknown op %s", quoted(r.Op))
	}
	return nil
}

func each[T any](list []T, do func(T)) {
	for _, x := range list {
		do(x)
	}
}

// decodedFactor is the maximum memory, in bytes, that decoding takes for each byte of a text message.
const decodedFactor = 16

// slowRequest is a request that may take time.
type slowRequest struct {
	do   func()
	kept int64 // bytes reserved for it
}

// later queues a request of size bytes for the third goroutine.
func (c *client) later(size int, do func()) {
	kept := decodedFactor * int64(size)
	if !c.Reserve(kept) {
		c.status(levelError, "Too much is waiting")
		return
	}
	select {
	case c.slow <- slowRequest{do, kept}:
	default:
		c.Unreserve(kept)
		c.status(levelError, "Too many requests are waiting")
	}
}

func (c *client) subscribe(r subscribe) {
	s := c.s
	s.mu.Lock()
	ch := s.channel(r.Channel)
	twice, used := c.watched[r.Channel], c.subs[r.ID] != nil
	full := len(c.subs) >= maxNames
	s.mu.Unlock()
	l, problem := levelError, ""
	switch {
	case ch == nil:
		problem = fmt.Sprintf("Unknown channel %d", r.Channel)
	case used:
		problem = fmt.Sprintf("Subscription id %d is in use", r.ID)
	case twice:
		l, problem = levelWarning, fmt.Sprintf("Channel %d is subscribed already", r.Channel)
	case full:
		problem = "Too many subscriptions"
	}
	if problem != "" {
		c.status(l, problem)
		return
	}
	sub := c.newSubscription(r.ID, ch)
	if err := s.subscribe(sub); err != nil {
		c.status(levelError, fmt.Sprintf("Channel %d: %v", r.Channel, err))
		return
	}
	s.mu.Lock()
	if s.channel(ch.id) != nil {
		c.subs[r.ID], c.watched[ch.id] = sub, true
		sub = nil
	}
	s.mu.Unlock()
	if sub != nil { // otherwise the topic was removed meanwhile
		sub.close()
	} else if source, can := s.o.Source.(Recaller); can {
		source.Recall(ch.Topic)
	}
}

func (c *client) unsubscribe(id uint32) {
	c.s.mu.Lock()
	sub, known := c.subs[id]
	delete(c.subs, id)
	if sub != nil {
		delete(c.watched, sub.channel.id)
	}
	c.s.mu.Unlock()
	if !known {
		c.status(levelWarning, fmt.Sprintf("Unknown subscription id %d", id))
	} else if sub != nil {
		sub.close()
	}
}

// beginPublishing opens a channel that the client publishes.
func (c *client) beginPublishing(ch clientChannel) {
	if l, err := c.openChannel(ch); err != nil {
		c.status(l, fmt.Sprintf("Client channel %d (%s): %v", ch.ID, quoted(ch.Topic), err))
	}
}

// openChannel does beginPublishing's work. If the type isn't known by name, the client has to send the
// definition. The level is that of the error.
func (c *client) openChannel(ch clientChannel) (level, error) {
	typ, known := msgs.Lookup(ch.SchemaName)
	if ch.Schema != "" {
		spec, err := msgs.Parse(ch.SchemaName, ch.Schema)
		if err != nil {
			return levelError, fmt.Errorf("its schema: %w", err)
		}
		typ, known = msgs.Type{Name: ch.SchemaName, MD5: spec.MD5(), Definition: ch.Schema}, true
	}
	switch {
	case !c.s.o.Control:
		return levelError, errors.New("this client may not publish")
	case c.publishing[ch.ID] != nil:
		return levelWarning, errors.New("the id is in use")
	case len(c.publishing) >= maxPublishing:
		return levelError, fmt.Errorf("%d channels are open already", maxPublishing)
	case ch.Encoding != encodingROS:
		return levelError, fmt.Errorf("the encoding is %s, expected %s", quoted(ch.Encoding), encodingROS)
	case !known:
		return levelError, fmt.Errorf("the type %s isn't known here, and no schema was sent", quoted(ch.SchemaName))
	case c.s.graph == nil:
		return levelError, errNoGraph
	}
	p, err := c.s.graph.Publish(ch.Topic, typ)
	if err == nil {
		c.publishing[ch.ID] = p
	}
	return levelError, err
}

// maxPublishing is the maximum number of channels that a client may publish.
const maxPublishing = 256

func (c *client) endPublishing(id uint32) {
	p := c.publishing[id]
	if p == nil {
		c.status(levelWarning, fmt.Sprintf("Unknown client channel %d", id))
		return
	}
	delete(c.publishing, id)
	p.Close()
}

func (c *client) publish(m published) {
	p := c.publishing[m.channel]
	if p == nil {
		c.status(levelError, fmt.Sprintf("Unknown client channel %d", m.channel))
		return
	}
	p.Publish(m.message)
}
