package ros

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/msgs"
	"rsros/ros/internal/wire"
	"rsros/ros/rosapi"
	"rsros/test/need"
	"rsros/test/peer"
)

// udpHead is the length of a datagram's header.
const udpHead = 8

func TestUDPROS(t *testing.T) {
	need.UDP(t)
	m := startMaster(t)
	n := startNode(t, m, "n")
	o := stringType
	o.Latch = true
	p := advertise(t, n, o)
	socket, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	need.Must(t, err)
	defer socket.Close()
	header := Header{"callerid": "/udp", "topic": "/chatter", "md5sum": o.Type.MD5, "type": o.Type.Name}.AppendFields(nil)
	at := socket.LocalAddr().(*net.UDPAddr).Port
	const size = 1500
	answer, err := rosapi.NewCaller("/udp").Call(t.Context(), n.URI(), "requestTopic", "/chatter",
		[]any{[]any{"UDPROS", header, "127.0.0.1", at, size}, []any{"TCPROS"}})
	need.Must(t, err)
	reply := answer.([]any)
	h, err := wire.ParseHeader(reply[5].([]byte))
	if err != nil || reply[0] != "UDPROS" || reply[4] != size || h["type"] != o.Type.Name || h["message_definition"] != o.Type.Definition {
		t.Errorf("reply %v, header %v, %v", reply, h, err)
	}
	peer.Await(t, "a subscriber", func() bool { return p.Subscribers() == 1 })
	for _, length := range []int{0, 1, size - udpHead - 4, size - udpHead - 3, 50_000} {
		want := make([]byte, length)
		for i := range want {
			want[i] = byte(rand.Uint32())
		}
		p.Publish(msgs.Raw{Head: want[:length/3], Body: want[length/3:]})
		got := readDatagrams(t, socket, uint32(reply[3].(int)))
		if int(binary.LittleEndian.Uint32(got)) != length || !bytes.Equal(got[4:], want) {
			t.Errorf("a message of %d bytes came as %d", length, len(got)-4)
		}
	}
	peer.Await(t, "five messages to be counted", func() bool {
		s := p.Stats().Subscribers[0]
		return s.Transport == "UDPROS" && s.Messages == 5
	})
	socket.Close() // later datagrams are refused by the machine, which must not hide that the topic isn't published
	c := n.outlets()["/chatter"][0]
	peer.Await(t, "the end of the subscriber", func() bool {
		wire.WriteProbe(c.conn, uint32(c.id)) //nolint:errcheck // shows in the end
		return p.Subscribers() == 0
	})
}

// readDatagrams assembles one message.
func readDatagrams(t *testing.T, socket *net.UDPConn, id uint32) []byte {
	var whole []byte
	b := make([]byte, 2000)
	for block, blocks := 0, 1; block < blocks; block++ {
		n, err := socket.Read(b)
		need.Must(t, err)
		number := int(binary.LittleEndian.Uint16(b[6:]))
		if binary.LittleEndian.Uint32(b) != id || block > 0 && (b[4] != 1 || number != block) {
			t.Fatalf("datagram %d: % x", block, b[:udpHead])
		}
		if block == 0 {
			blocks = number
		}
		whole = append(whole, b[udpHead:n]...)
	}
	return whole
}

// 5000 requests in one system.multicall once opened as many sockets, forever.
func TestUDPConnectionsAreBounded(t *testing.T) {
	need.UDP(t)
	m := startMaster(t)
	n := startNode(t, m, "n")
	p := advertise(t, n, stringType)
	header := Header{"md5sum": "*", "type": "*", "callerid": "/x"}.AppendFields(nil)
	ask := func(host string, port int) error {
		_, err := rosapi.NewCaller("/x").Call(t.Context(), n.URI(), "requestTopic", "/chatter", []any{[]any{"UDPROS", header, host, port, 1500}})
		return err
	}
	for i := range 3 {
		if err := ask("127.0.0.1", 9); err != nil {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if got := p.Subscribers(); got != 1 {
		t.Errorf("%d connections to one port", got)
	}
	refused := 0
	for i := range 2 * maxUDPTopic {
		if ask("127.0.0.1", 10+i) != nil {
			refused++
		}
	}
	if got := p.Subscribers(); got > maxUDPTopic || refused < maxUDPTopic {
		t.Errorf("%d connections to one host, %d refused", got, refused)
	}
	for i := range 2 * maxUDP {
		ask(fmt.Sprintf("127.0.%d.%d", 1+i/200, 1+i%200), 9) //nolint:errcheck // shows in the number
	}
	if got := p.Subscribers(); got > maxUDP {
		t.Errorf("%d connections", got)
	}
}

func TestBadUDPRequests(t *testing.T) {
	header := Header{"md5sum": "*", "type": "*"}.AppendFields(nil)
	for _, params := range [][]any{
		{"UDPROS"},
		{"UDPROS", "text", "h", 1, 1500},
		{"UDPROS", header, 1, 1, 1500},
		{"UDPROS", header, "h", 0, 1500},
		{"UDPROS", header, "h", 70000, 1500},
		{"UDPROS", header, "h", 1, 8},
		{"UDPROS", header, "h", 1, 1 << 20},
		{"UDPROS", []byte{1}, "h", 1, 1500},
	} {
		if _, _, _, err := wire.ParseDatagramRequest(params); err == nil {
			t.Errorf("%v was accepted", params)
		}
	}
}

// A roscpp subscriber with a transport hint for UDP.
const roscppUDP = `
#include <ros/ros.h>
#include <std_msgs/String.h>
int main(int argc, char** argv) {
  ros::init(argc, argv, "udp");
  ros::NodeHandle nh;
  size_t n = 0;
  ros::Subscriber s = nh.subscribe<std_msgs::String>("/chatter", 10, boost::function<void(const std_msgs::String::ConstPtr&)>(
    [&](const std_msgs::String::ConstPtr& m) { printf("got %zu %c\n", m->data.size(), m->data[0]); if (++n == 3) ros::shutdown(); }),
    ros::VoidConstPtr(), ros::TransportHints().udp());
  ros::spin();
}
`

func TestRoscppUDP(t *testing.T) {
	master := rosmaster(t)
	need.Programs(t, "g++")
	dir := t.TempDir()
	source, program := filepath.Join(dir, "udp.cpp"), filepath.Join(dir, "udp")
	need.Must(t, os.WriteFile(source, []byte(roscppUDP), 0o600))
	args := append([]string{source, "-o", program}, strings.Fields("-lroscpp -lrosconsole -lroscpp_serialization -lrostime -lcpp_common -lboost_thread -lboost_system -lpthread")...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		need.Missing(t, "roscpp: %v\n%s", err, out)
	}
	n := startConfig(t, Config{Name: "n", MasterURI: master})
	p := advertise(t, n, stringType)
	subscriber := start(t, master, program)
	peer.Await(t, "a UDP subscriber", func() bool { return p.Subscribers() == 1 })
	info := n.busInfo().([]any)
	if len(info) == 0 || info[0].([]any)[3] != "UDPROS" {
		t.Errorf("bus %v", info)
	}
	peer.Await(t, "three messages", func() bool {
		for _, c := range n.outlets()["/chatter"] { // which roscpp doesn't take for messages
			wire.WriteProbe(c.conn, uint32(c.id)) //nolint:errcheck // it may be gone
		}
		p.Publish(stringMessage(strings.Repeat("x", 5000)))
		return strings.Count(subscriber.Stdout(), "got 5000 x") >= 3
	})
}
