package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/test/visitor"
)

// foxgloveBag writes a bag of small messages, which are never dropped, and returns the time and the
// hash of each message by topic.
func foxgloveBag(t *testing.T) (path string, want map[string][]string) {
	t.Helper()
	path, want = filepath.Join(t.TempDir(), "walk.bag"), make(map[string][]string)
	w := samplebag.Create(t, path, bagstore.Options{})
	text := msgs.MustType("std_msgs/String")
	own := msgs.Type{Name: "my_msgs/Own", MD5: "0cc175b9c0f1b6a831c399e269772661", Definition: "uint8[] data\n"}
	for topic, c := range map[string]struct {
		typ   msgs.Type
		bytes int
	}{"/text": {text, 10}, "/own": {own, 8000}, "/third": {text, 30}} {
		conn := bagstore.Connection{Topic: topic, Type: c.typ.Name, MD5: c.typ.MD5, Definition: c.typ.Definition, CallerID: "/walker"}
		for i := range 100 {
			data := msgs.Marshal(&msgs.String{Data: strings.Repeat(fmt.Sprint(topic, i), c.bytes/5)})
			at := bagstore.Time(1_500_000_000_000_000_000 + int64(i)*5_000_000)
			w.Put(conn, at, data)
			want[topic] = append(want[topic], stampAndHash(int64(at), data))
		}
	}
	w.Done()
	return path, want
}

func stampAndHash(at int64, data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprint(at, " ", hex.EncodeToString(sum[:]))
}

// startFoxglove plays a bag once a client subscribes to all its topics.
func startFoxglove(t *testing.T, bag string) (player *peer.Process, url string) {
	t.Helper()
	m := rig.Master(t)
	player = peer.Start(t, peer.Env(t, m.URI()), peer.Program(t), "play", "--wait-for-subscribers", "--http=127.0.0.1:0", bag, "__name:=player")
	return player, foxgloveURL(t, player)
}

// TestPlayFoxglove plays a bag to a Foxglove client, byte by byte, which then calls a
// service, sets a parameter and asks for the connection graph.
func TestPlayFoxglove(t *testing.T) {
	t.Parallel()
	bag, want := foxgloveBag(t)
	player, url := startFoxglove(t, bag)
	c := visitor.DialFoxglove(t, url)
	c.SendBinary(2, c.AwaitService("/player/pause_playback"), uint32(1), "ros1", []byte{0})
	c.Await("the service's answer", func(e visitor.Event) bool { return e.Opcode == 3 && e.Call == 1 })
	c.Send(map[string]any{"op": "setParameters", "id": "set", "parameters": []any{map[string]any{"name": "/player/speed", "value": 2.5}}})
	c.Await("the parameter", func(e visitor.Event) bool {
		return strings.Contains(string(e.Text), `{"name":"/player/speed","value":2.5,"type":"float64"}`)
	})
	c.Send(map[string]any{"op": "subscribeConnectionGraph"})
	c.Await("the connection graph", func(e visitor.Event) bool {
		return strings.Contains(string(e.Text), `{"name":"/own","publisherIds":["/player"]}`)
	})
	topics := []string{"/text", "/own", "/third"}
	for i, topic := range topics {
		c.Subscribe(uint32(i), topic)
	}
	if ch := c.Channels["/own"]; ch.SchemaName != "my_msgs/Own" || ch.Schema != "uint8[] data\n" {
		t.Errorf("/own is advertised as %+v", ch)
	}
	got := make(map[string][]string)
	for total := 0; total < 300; total++ {
		e := c.Await("the bag's messages", func(e visitor.Event) bool { return e.Opcode == 1 })
		got[topics[e.ID]] = append(got[topics[e.ID]], stampAndHash(e.Time, e.Data))
		if c.Clock < e.Time {
			t.Fatalf("a message of %d came before its time was told; it is %d", e.Time, c.Clock)
		}
	}
	for topic := range want {
		if !slices.Equal(got[topic], want[topic]) {
			t.Errorf("of %s came %d messages, expected %d; or they differ", topic, len(got[topic]), len(want[topic]))
		}
	}
	if code := player.Wait(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, player.Output())
	}
}

var pageURL = regexp.MustCompile(`(?m)(?:^|url=)http://([0-9.:]+/)$`)

// foxgloveURL waits until a program serves its page, and returns the address for Foxglove.
func foxgloveURL(t *testing.T, p *peer.Process) string {
	t.Helper()
	peer.Await(t, "the address of the page", func() bool { return pageURL.MatchString(p.Output()) })
	return "ws://" + pageURL.FindStringSubmatch(p.Output())[1]
}

// TestViewFoxglove shows a bag without a master to a Foxglove client, byte by byte.
func TestViewFoxglove(t *testing.T) {
	bag, want := foxgloveBag(t)
	view := peer.Start(t, nil, peer.Program(t), "view", "--no-open", bag)
	c := visitor.DialFoxglove(t, foxgloveURL(t, view))
	topics := []string{"/text", "/own", "/third"}
	for i, topic := range topics {
		c.Subscribe(uint32(i), topic)
	}
	got := make(map[string]map[string]bool) // a recalled message is sent again
	await := func(what string, done func(visitor.Event) bool) {
		c.Await(what, func(e visitor.Event) bool {
			if e.Opcode == 1 {
				topic := topics[e.ID]
				if got[topic] == nil {
					got[topic] = make(map[string]bool)
				}
				got[topic][stampAndHash(e.Time, e.Data)] = true
			}
			return done(e)
		})
	}
	// It plays already, so messages may come before it pauses.
	c.SendBinary(3, byte(1), float32(1), byte(1), uint64(0), "pause")
	await("the pause", func(e visitor.Event) bool { return e.Opcode == 5 && e.PlayRequest == "pause" })
	c.SendBinary(3, byte(0), float32(1), byte(1), uint64(0), "play")
	await("the end", func(e visitor.Event) bool { return e.Opcode == 5 && e.State == 3 })
	for topic, list := range want {
		missing := slices.DeleteFunc(slices.Clone(list), func(m string) bool { return got[topic][m] })
		if len(missing) > 0 || len(got[topic]) != len(list) {
			t.Errorf("of %s came %d messages, expected %d, of which %d are missing", topic, len(got[topic]), len(list), len(missing))
		}
	}
}
