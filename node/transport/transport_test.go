package transport

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nodes are a publisher and a subscriber with their own master.
func nodes(t *testing.T) (pub, sub *ros.Node) {
	t.Helper()
	m := rig.Master(t)
	return rig.Node(t, m, "camera"), rig.Node(t, m, "onlooker")
}

// held counts unreleased references.
type held struct{ out atomic.Int64 }

func (h *held) Release() { h.out.Add(-1) }

// give publishes an image as the image topic's owner would.
func (h *held) give(topics *Publisher, p imagetransport.Image) {
	head := msgs.ImageHead{
		Header: msgs.Header{Seq: 7, FrameID: "eye"}, Encoding: p.Encoding, Width: uint32(p.Width), Height: uint32(p.Height),
		Step: uint32(p.Step), DataLen: uint32(len(p.Data)),
	}
	h.out.Add(1)
	topics.Share(msgs.Raw{Head: msgs.Marshal(&head), Body: p.Data, Owner: h}).Owner.Release()
}

type compressedImage struct {
	header msgs.Header
	format string
	data   []byte
}

func subscribe(t *testing.T, n *ros.Node, topic string) <-chan compressedImage {
	t.Helper()
	got := make(chan compressedImage, 100)
	s, err := n.Subscribe(ros.SubscriberOptions{Topic: topic}, func(r ros.Received) {
		d := msgs.NewDecoder(r.Data)
		var m compressedImage
		m.header.Decode(d)
		m.format = d.String()
		m.data = bytes.Clone(d.Bytes())
		if err := d.Err(); err != nil {
			t.Error(err)
		}
		got <- m
	})
	need.Must(t, err)
	t.Cleanup(s.Close)
	return got
}

var depth = imagetransport.Image{Encoding: "16UC1", Width: 2, Height: 1, Step: 4, Data: []byte{1, 0, 255, 255}}

// publish publishes until a subscriber receives what accept wants.
func publish(t *testing.T, topics *Publisher, h *held, from <-chan compressedImage, accept func(compressedImage) bool) {
	t.Helper()
	deadline := time.After(peer.Patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var last compressedImage
	for {
		select {
		case last = <-from:
			if accept(last) {
				return
			}
		case <-tick.C:
			h.give(topics, depth)
		case <-deadline:
			t.Fatalf("what was expected never came; last %+v", last)
		}
	}
}

func configure(t *testing.T, n *ros.Node, name string, c msgs.Config) msgs.Config {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), peer.Patience)
	defer cancel()
	peer.AwaitService(t, n, name)
	answer, err := n.CallService(ctx, name, msgs.MustService("dynamic_reconfigure/Reconfigure"), msgs.Marshal(&c))
	need.Must(t, err)
	var out msgs.Config
	need.Must(t, msgs.Unmarshal(answer, &out))
	return out
}

func TestTransports(t *testing.T) {
	pub, sub := nodes(t)
	need.Must(t, pub.SetParam(t.Context(), "/camera/depth/compressedDepth/png_level", 3))
	p, err := Advertise(t.Context(), pub, ros.PublisherOptions{Topic: "camera/depth", Type: msgs.MustType("sensor_msgs/Image")}, Options{Encoding: "16UC1", Depth: true})
	need.Must(t, err)
	topics := p
	var h held
	h.give(topics, depth)
	if topics.Wanted() || h.out.Load() != 0 {
		t.Error("an image was taken though nobody subscribed")
	}

	plain := subscribe(t, sub, "/camera/depth/compressed")
	publish(t, topics, &h, plain, func(m compressedImage) bool {
		return m.format == "16UC1; png compressed " && m.header.FrameID == "eye" && bytes.HasPrefix(m.data, []byte("\x89PNG"))
	})
	asDepth := subscribe(t, sub, "/camera/depth/compressedDepth")
	publish(t, topics, &h, asDepth, func(m compressedImage) bool {
		p, err := imagetransport.DecompressDepth(m.format, m.data)
		return m.format == "16UC1; compressedDepth png" && err == nil && bytes.Equal(p.Data, depth.Data)
	})

	answer := configure(t, sub, "/camera/depth/compressedDepth/set_parameters", msgs.Config{
		Strs:    []msgs.Param[string]{{Name: "format", Value: "rvl"}},
		Doubles: []msgs.Param[float64]{{Name: "depth_max", Value: 0.5}},
		Ints:    []msgs.Param[int32]{{Name: "nothing", Value: 1}},
	})
	if len(answer.Ints) != 1 || answer.Ints[0].Value != 3 {
		t.Errorf("png_level %+v, want what the parameter server had, 3", answer.Ints)
	}
	publish(t, topics, &h, asDepth, func(m compressedImage) bool {
		p, err := imagetransport.DecompressDepth(m.format, m.data)
		return m.format == "16UC1; compressedDepth rvl" && err == nil && bytes.Equal(p.Data, []byte{1, 0, 0, 0}) // depth_max 1 m: its minimum
	})
	configure(t, sub, "/camera/depth/compressedDepth/set_parameters", msgs.Config{Strs: []msgs.Param[string]{{Name: "format", Value: "theora"}}})
	publish(t, topics, &h, asDepth, func(m compressedImage) bool { return m.format == "16UC1; compressedDepth rvl" })

	for _, group := range []string{"compressed", "compressedDepth"} {
		configure(t, sub, "/camera/depth/"+group+"/set_parameters", msgs.Config{Bools: []msgs.Param[bool]{{Name: "enable"}}})
	}
	if topics.Wanted() {
		t.Error("pictures are wanted by transports that are off")
	}
	p.Close()
	if n := h.out.Load(); n != 0 {
		t.Errorf("%d references weren't released", n)
	}
}

// An image that is overtaken is dropped and the newest is kept. The messages' numbers have no gap:
// nothing was lost in transit.
func TestDropsAreCounted(t *testing.T) {
	pub, sub := nodes(t)
	begun, proceed := make(chan struct{}), make(chan struct{})
	p, err := pub.Advertise(ros.PublisherOptions{Topic: "slow", Type: msgs.MustType("sensor_msgs/CompressedImage")})
	need.Must(t, err)
	slow := newTransport(p, func(dst []byte, p imagetransport.Image) (string, []byte, error) {
		begun <- struct{}{}
		<-proceed
		return "", append(dst, byte(p.Width)), nil
	}, false, zerolog.Nop())
	topics := &Publisher{p, []*transport{slow}}
	got := subscribe(t, sub, "/slow")
	for !topics.Wanted() {
		time.Sleep(time.Millisecond)
	}
	var h held
	give := func(width int) { h.give(topics, imagetransport.Image{Width: width}) }
	give(1)
	<-begun
	give(2)
	give(3)
	give(4)
	proceed <- struct{}{}
	<-begun
	proceed <- struct{}{}
	for i, want := range []byte{1, 4} {
		if m := <-got; m.data[0] != want || m.header.Seq != uint32(i) {
			t.Errorf("picture %d in message %d, want %d in %d", m.data[0], m.header.Seq, want, i)
		}
	}
	if drops := topics.Drops(); drops[1].Topic != "/slow" || drops[1].Dropped != 2 {
		t.Errorf("dropped %+v, want 2", drops)
	}
	if topics.Close(); h.out.Load() != 0 {
		t.Errorf("%v, %d references out", err, h.out.Load())
	}
}

// A message read from a bag has only a body.
func TestWholeMessage(t *testing.T) {
	head := msgs.ImageHead{Header: msgs.Header{Seq: 3}, Encoding: "16UC1", Width: 2, Height: 1, Step: 4, DataLen: 4}
	whole := append(msgs.Marshal(&head), depth.Data...)
	h, p, err := read(msgs.Raw{Body: whole})
	if err != nil || h.Seq != 3 || p.Width != 2 || !bytes.Equal(p.Data, depth.Data) {
		t.Errorf("%+v %+v %v", h, p, err)
	}
	if _, _, err := read(msgs.Raw{Body: whole[:len(whole)-1]}); err == nil {
		t.Error("a short message was read")
	}
}

func TestNoTransports(t *testing.T) {
	var none Publisher
	if m := none.Share(msgs.Raw{Body: depth.Data}); m.Owner != nil || none.compresses() {
		t.Error("no topics aren't quiet")
	}
}
