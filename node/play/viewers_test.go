package play

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/replay"
	"rsros/node/ros"
	"rsros/node/view"
	"rsros/node/view/wire"
	"rsros/node/viewers"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/samplebag"
)

// logged passes on the address that is logged when the page is served.
type logged chan string

func (l logged) Write(line []byte) (int, error) {
	var m struct{ URL string }
	if json.Unmarshal(line, &m) == nil && m.URL != "" {
		l <- m.URL
	}
	return len(line), nil
}

// The page of a replay and its services control one player: each sees what the other did.
// Messages go to both.
func TestViewers(t *testing.T) {
	m := rig.Master(t)
	n, err := ros.NewNode(t.Context(), ros.Config{Name: "judge", MasterURI: m.URI(), Host: "127.0.0.1", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close() //nolint:errcheck // at the end
	heard := make(chan string, 1000)
	sub, err := n.Subscribe(ros.SubscriberOptions{Topic: "/count"}, func(r ros.Received) { heard <- msgs.NewDecoder(r.Data).String() })
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()

	ctx, stop := context.WithCancel(t.Context())
	address, ended := make(logged, 1), make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{
			ROS: ros.Config{Name: "player", MasterURI: m.URI(), Host: "127.0.0.1"}, Bags: []string{samplebag.Walk(t, "walk.bag")},
			HTTP: viewers.Access{Access: view.Access{Address: "127.0.0.1:0"}}, Replay: replay.Settings{Paused: true, Loop: true, Rate: 10}, LossyOK: true, Log: zerolog.New(address),
		})
	}()
	defer func() {
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("play ended with %v", err)
		}
	}()
	page := watch(t, <-address)
	var source wire.Source
	for source.Name == "" { // before the player is shown, nothing is
		var m struct{ Source *wire.Source }
		if m.Source = new(wire.Source); page.read(&m) && m.Source != nil {
			source = *m.Source
		}
	}
	if source.Kind != "file" || source.Name != "walk.bag" || len(source.Streams) != 3 || source.Streams[0].Name != "/count" || source.Streams[0].Type != "std_msgs/String" {
		t.Fatalf("source %+v", source)
	}
	page.say(`{"op":"subscribe","stream":1,"codec":"raw","divisor":1}`)
	pause := func(on bool) {
		t.Helper()
		var reply []byte
		peer.Await(t, "the service", func() bool { // the master hears of it a moment later
			reply, err = n.CallService(t.Context(), "/pause_playback", msgs.MustService("std_srvs/SetBool"), msgs.Marshal(&msgs.Bool{Data: on}))
			return err == nil
		})
		var answer msgs.Result
		if err := msgs.Unmarshal(reply, &answer); err != nil || !answer.Success {
			t.Fatalf("pause %v: %+v, %v", on, answer, err)
		}
	}
	pause(false)
	page.await(func(m message) bool { return m.Op == "state" && m.Playing })
	body := page.await(func(m message) bool { return m.body != nil }).body
	var tree struct{ Data string }
	if err := json.Unmarshal(body, &tree); err != nil || tree.Data == "" {
		t.Errorf("the page got %q", body)
	}
	<-heard
	page.say(`{"op":"pause","id":1}`)
	page.await(func(m message) bool { return m.Op == "answer" && m.OK })
	pause(false) // it was paused for the service, too
	page.say(`{"op":"rate","id":2,"rate":0.5}`)
	page.await(func(m message) bool { return m.Op == "state" && m.Rate == 0.5 })
	page.say(`{"op":"pause","id":3}`)
	page.await(func(m message) bool { return m.Op == "answer" && m.OK })
	for len(heard) > 0 {
		<-heard
	}
	page.say(`{"op":"seek","id":4,"time":"1700000000500000000"}`)
	page.await(func(m message) bool { return string(m.body) == `{"data":"50"}` })
	page.say(`{"op":"step","id":5,"sets":1}`)
	for text := <-heard; text != "50"; text = <-heard { //nolint:revive // what was on its way
	}
}

// message is one of the page's.
type message struct {
	Op      string
	OK      bool
	Playing bool
	Rate    float64

	sequence uint32
	body     []byte // of a binary message
}

type viewer struct {
	t    *testing.T
	conn *websocket.Conn
}

func watch(t *testing.T, url string) viewer {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url+"api/ws", &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() }) //nolint:errcheck // at the end
	conn.SetReadLimit(1 << 20)
	return viewer{t, conn}
}

func (v viewer) say(text string) {
	v.t.Helper()
	if err := v.conn.Write(v.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		v.t.Fatal(err)
	}
}

// read reads a message, and returns false if it is binary.
func (v viewer) read(into any) bool {
	v.t.Helper()
	kind, data, err := v.conn.Read(v.t.Context())
	if err == nil && kind == websocket.MessageText {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	if m, ok := into.(*message); ok && kind == websocket.MessageBinary {
		m.sequence, m.body = binary.LittleEndian.Uint32(data[4:]), data[wire.HeadSize:]
	}
	return kind == websocket.MessageText
}

// await reads messages until one is as wanted, and gives credit for those with a body.
func (v viewer) await(is func(message) bool) message {
	v.t.Helper()
	for {
		var m message
		if !v.read(&m) {
			v.say(fmt.Sprintf(`{"op":"credit","stream":1,"upto":%d}`, m.sequence))
		}
		if is(m) {
			return m
		}
	}
}
