package ros

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/msgs"
	"rsros/ros/rosapi"
	"rsros/test/need"
	"rsros/test/peer"
)

// rosmaster starts Debian's master on a free port.
func rosmaster(t *testing.T) string {
	t.Helper()
	need.Programs(t, "rosmaster", "rostopic", "rosnode", "rosservice", "rosparam")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	l.Close()
	uri := fmt.Sprintf("http://127.0.0.1:%d/", port(l))
	start(t, uri, "rosmaster", "--core", "-p", fmt.Sprint(port(l)))
	c := rosapi.NewCaller("/test")
	peer.Await(t, "rosmaster", func() bool { _, err := c.Call(t.Context(), uri, "getPid"); return err == nil })
	return uri
}

// start runs a program that uses a master until the test ends.
func start(t *testing.T, master, name string, args ...string) *peer.Process {
	t.Helper()
	return peer.Start(t, peer.Env(t, master), name, args...)
}

// run runs a program that must succeed and returns its output.
func run(t *testing.T, master, name string, args ...string) string {
	t.Helper()
	return peer.Run(t, peer.Env(t, master), name, args...)
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in:\n%s", w, text)
		}
	}
}

func stringMessage(s string) msgs.Raw {
	var e msgs.Encoder
	e.String(s)
	return msgs.Raw{Head: e.B}
}

func TestStockTools(t *testing.T) {
	need.Python(t, "std_srvs.srv", "std_msgs.msg", "roscpp.srv")
	master := rosmaster(t)
	n := startConfig(t, Config{Name: "tested", MasterURI: master, PrivateParams: map[string]any{"rate": 30, "list": []any{1, "a"}}})
	o := stringType
	o.Latch = true
	p := advertise(t, n, o)
	p.Publish(stringMessage("hello"))
	var c collector
	subscribe(t, n, SubscriberOptions{Topic: "in", Type: stringType.Type}, c.add)
	setBool := msgs.MustService("std_srvs/SetBool")
	offer(t, n, "~pause", setBool, func(_ context.Context, req []byte) ([]byte, error) {
		if len(req) != 1 || req[0] == 0 {
			return nil, fmt.Errorf("it won't")
		}
		return append([]byte{1}, "\x04\x00\x00\x00done"...), nil
	})
	synced(t, n)
	contains(t, run(t, master, "rostopic", "echo", "-n1", "/chatter"), `data: "hello"`)
	contains(t, run(t, master, "rostopic", "list"), "/chatter", "/in", "/rosout")
	contains(t, run(t, master, "rostopic", "info", "/chatter"), "std_msgs/String", "/tested")
	contains(t, run(t, master, "rosparam", "get", "/tested"), "rate: 30", "list:")
	contains(t, run(t, master, "rosnode", "ping", "-c2", "/tested"), "ping average")
	pub := start(t, master, "rostopic", "pub", "-r", "20", "/in", "std_msgs/String", "data: from-rospy")
	peer.Await(t, "messages of rostopic pub", func() bool { return c.len() >= 5 })
	if got := c.all()[0]; got != "\x0a\x00\x00\x00from-rospy" {
		t.Errorf("got %q", got)
	}
	info := run(t, master, "rosnode", "info", "/tested")
	contains(t, info, "* /chatter [std_msgs/String]", "* /in [std_msgs/String]", "* /tested/pause", "* /tested/get_loggers", "Pid: "+fmt.Sprint(os.Getpid()),
		"* topic: /in", "direction: inbound", "transport: TCPROS")
	pub.Interrupt()
	contains(t, run(t, master, "rosservice", "info", "/tested/pause"), "Node: /tested", "Type: std_srvs/SetBool", "Args: data")
	contains(t, run(t, master, "rosservice", "args", "/tested/pause"), "data")
	contains(t, run(t, master, "rosservice", "call", "/tested/pause", "true"), "success: True", `message: "done"`)
	contains(t, runFailing(t, master, "rosservice", "call", "/tested/pause", "false"), "it won't")
	contains(t, run(t, master, "rosservice", "call", "/tested/get_loggers"), "name: \"ros\"")
	run(t, master, "rosservice", "call", "/tested/set_logger_level", "ros", "warn")
	contains(t, run(t, master, "rosservice", "call", "/tested/get_loggers"), `level: "warn"`)
	contains(t, run(t, master, "rosnode", "kill", "/tested"), "killed")
	select {
	case <-n.Done():
	case <-time.After(peer.Patience):
		t.Fatal("rosnode kill didn't end the node")
	}
	n.Close()
	if out := run(t, master, "rosnode", "list"); strings.Contains(out, "/tested") {
		t.Errorf("still registered: %s", out)
	}
}

func runFailing(t *testing.T, master, name string, args ...string) string {
	t.Helper()
	p := start(t, master, name, args...)
	if p.Wait() == 0 {
		t.Errorf("%s %v: no failure", name, args)
	}
	return p.Output()
}

// A rospy node calls our services over a persistent connection and offers one.
const rospyScript = `
import rospy, sys
from std_srvs.srv import SetBool, SetBoolResponse, Trigger, TriggerResponse
from std_msgs.msg import String
rospy.init_node('py')
rospy.Service('py_trigger', Trigger, lambda r: TriggerResponse(True, 'x' * 100000))
def bad(r): raise rospy.ServiceException('on purpose')
rospy.Service('py_bad', Trigger, bad)
pub = rospy.Publisher('py_done', String, latch=True, queue_size=1)
call = rospy.ServiceProxy('/go/echo', SetBool, persistent=True)
call.wait_for_service()
print([call(i % 2 == 0).success for i in range(6)])
sys.stdout.flush()
pub.publish('done')
rospy.spin()
`

func TestRospyServices(t *testing.T) {
	python := need.Python(t, "std_srvs.srv", "std_msgs.msg")
	master := rosmaster(t)
	script := filepath.Join(t.TempDir(), "peer.py")
	need.Must(t, os.WriteFile(script, []byte(rospyScript), 0o600))
	n := startConfig(t, Config{Name: "go", MasterURI: master})
	offer(t, n, "~echo", msgs.MustService("std_srvs/SetBool"), func(_ context.Context, req []byte) ([]byte, error) {
		return append(bytes.Clone(req), 0, 0, 0, 0), nil
	})
	py := start(t, master, python, script)
	var c collector
	subscribe(t, n, SubscriberOptions{Topic: "py_done"}, c.add)
	peer.Await(t, "rospy", func() bool { return c.len() == 1 })
	contains(t, py.Stdout(), "[True, False, True, False, True, False]")
	trigger := msgs.MustService("std_srvs/Trigger")
	ctx, cancel := context.WithTimeout(t.Context(), peer.Patience)
	defer cancel()
	peer.AwaitService(t, n, "py_trigger")
	for range 3 {
		resp, err := n.CallService(ctx, "py_trigger", trigger, nil)
		if err != nil || len(resp) != 1+4+100000 {
			t.Errorf("%d bytes, %v", len(resp), err)
		}
	}
	if _, err := n.CallService(ctx, "py_bad", trigger, nil); err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("error %v", err)
	}
	if _, err := n.CallService(ctx, "py_trigger", msgs.MustService("std_srvs/SetBool"), []byte{1}); err == nil {
		t.Error("another type was accepted")
	}
}
