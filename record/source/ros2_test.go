package source

import (
	"os"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/msgs"
	mapping "rsros/msgs/ros2"
	"rsros/program/work"
	"rsros/record/topicfile"
	"rsros/ros2"
	"rsros/test/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestROS2 subscribes before anybody publishes. A publisher of another type is left out; one that offers less than the
// first one makes it subscribe again.
func TestROS2(t *testing.T) {
	config := ros2.Config{Name: "recorder", Domain: 102 + os.Getpid()%100, Range: ros2.Localhost, Log: zerolog.Nop()}
	own, err := ros2.Join(t.Context(), config)
	need.Must(t, err)
	defer own.Close()
	config.Name = "talker"
	talker, err := ros2.Join(t.Context(), config)
	need.Must(t, err)
	defer talker.Close()
	g := NewROS2(own, zerolog.Nop())
	defer g.Close()
	got := make(chan Message, 10)
	s, err := g.Subscribe(Options{Topic: "/a", Budget: work.NewBudget(0)}, func(m Message) {
		m.Buffer.Retain()
		got <- m
	})
	need.Must(t, err)
	defer s.Close()
	if s.Announced() || s.Unreached(0) != 0 {
		t.Error("it is published by nobody")
	}
	await := func(what string, is func() bool) {
		t.Helper()
		for limit := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("not within 20 s: %s; %+v", what, s.Stats())
			}
		}
	}
	definition, hash, _ := mapping.Describe("std_msgs/msg/String")
	sent := uint64(0)
	say := func(o ros2.PublisherOptions, text string) {
		t.Helper()
		o.Topic, o.Type, o.Hash, o.Definition = "/a", "std_msgs/msg/String", hash, definition
		before := s.Stats().Publishers
		p, err := talker.Advertise(o)
		need.Must(t, err)
		await("connected", func() bool { return s.Stats().Publishers > before && p.Subscribers() == 1 })
		send := func() Message {
			var e msgs.Encoder
			e.BeginCDR()
			e.String(text)
			p.Publish(msgs.Raw{Head: e.B})
			sent++
			return <-got
		}
		await("its node's name", func() bool {
			m := send()
			m.Buffer.Release()
			return m.Header["callerid"] == "/talker"
		})
		m := send()
		if d := msgs.NewCDRDecoder(m.Data); d.String() != text || !topicfile.IsROS2(m.Header) || m.Header["callerid"] != "/talker" ||
			m.Header["message_definition"] != definition || m.Header["md5sum"] != hash {
			t.Errorf("%q: header %v", text, m.Header)
		}
		m.Buffer.Release()
	}
	say(ros2.PublisherOptions{QoS: ros2.QoS{Reliable: true}}, "one")
	_, err = talker.Advertise(ros2.PublisherOptions{Topic: "/a", Type: "std_msgs/msg/Empty"})
	need.Must(t, err)
	say(ros2.PublisherOptions{}, "two")
	await("both publishers again", func() bool { return s.Stats().Publishers == 2 })
	topics, err := g.Topics(t.Context(), true)
	if _, known := topics["/a"]; err != nil || !known || !s.Announced() || s.Unreached(0) != 1 || len(s.Headers()) != 2 {
		t.Errorf("topics %v, %d unreached, headers %v", topics, s.Unreached(0), s.Headers())
	}
	if c := s.Stats(); c.Messages != sent || c.Missing != 0 || len(s.Missing()) != 0 {
		t.Errorf("%+v, missing %v", c, s.Missing())
	}
	if _, err := g.Subscribe(Options{Topic: "a b"}, nil); err == nil {
		t.Error("a name with a space")
	}
}
