package pub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"rsros/node/view"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/viewer/foxglove"
)

// server serves Foxglove's clients of a node.
type server struct {
	*foxglove.Server
	listener net.Listener
}

func serve(n *graph.Node, address string) (*server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &server{foxglove.New(view.Foxglove(n)), l}
	go http.Serve(l, s) //nolint:errcheck,gosec // until Close
	return s, nil
}

// Close disconnects all clients.
func (s *server) Close() {
	s.listener.Close() //nolint:errcheck // at the end of the program
	s.Server.Close()
}

// await waits until as many clients have subscribed.
func (s *server) await(clients int) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if len(s.Counts()) >= 2*clients { // each watches one topic
			return nil
		}
	}
	return errors.New("timed out waiting for clients")
}

// dropped is what slow clients lost.
func (s *server) dropped() (n uint64) {
	for _, c := range s.Counts() {
		n += c.Dropped
	}
	return n
}

// watch receives a topic as Foxglove does, until the server goes, and reports as receive
// does.
func watch(address, topic string) error {
	conn, err := dial(address)
	if err != nil {
		return err
	}
	defer conn.CloseNow() //nolint:errcheck // at the end of the program
	conn.SetReadLimit(-1)
	var got arrivals
	message := make([]byte, 0, 4<<20)
	size := 0.0
	for {
		kind, r, err := conn.Reader(context.Background())
		if err != nil {
			break // the server has gone
		}
		b := bytes.NewBuffer(message[:0])
		if _, err := io.Copy(b, r); err != nil {
			break
		}
		if message = b.Bytes(); kind == websocket.MessageText {
			if err := subscribe(conn, message, topic); err != nil {
				return err
			}
			continue
		}
		const head = 1 + 4 + 8 // opcode, subscription, time
		if message[0] == 1 && len(message) > head+4 {
			got.take(ros.Received{Data: message[head:], Time: time.Now()})
			size += float64(len(message))
		}
	}
	if got.count == 0 {
		return errors.New("nothing came")
	}
	got.report("foxglove", topic, size)
	return nil
}

// dial connects when the server is there.
func dial(address string) (conn *websocket.Conn, err error) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		conn, _, err = websocket.Dial(context.Background(), "ws://"+address, &websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}})
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// subscribe subscribes to a topic as soon as the server offers it.
func subscribe(conn *websocket.Conn, text []byte, topic string) error {
	var m struct {
		Channels []struct {
			ID    uint32
			Topic string
		}
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	for _, c := range m.Channels {
		if c.Topic != topic {
			continue
		}
		request := fmt.Sprintf(`{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": %d}]}`, c.ID)
		return conn.Write(context.Background(), websocket.MessageText, []byte(request))
	}
	return nil
}
