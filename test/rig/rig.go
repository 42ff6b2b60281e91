// Package rig has helpers for tests of several packages: a master, frames, and recordings.
package rig

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/peer"
)

// Master starts a master that runs until after the test's deferred calls.
func Master(t testing.TB) *graph.Master {
	t.Helper()
	m, err := graph.StartMaster(context.WithoutCancel(t.Context()), graph.MasterOptions{Address: "127.0.0.1:0", Host: "127.0.0.1", Log: zerolog.Nop()})
	need.Must(t, err)
	t.Cleanup(func() { m.Close() }) //nolint:errcheck // at the end
	return m
}

// Node returns a node in a master's graph, which is closed at the end of the test.
func Node(t testing.TB, m *graph.Master, name string) *ros.Node {
	t.Helper()
	return NodeAt(t, m.URI(), name)
}

// NodeAt is Node for the URI of a master.
func NodeAt(t testing.TB, master, name string) *ros.Node {
	t.Helper()
	n, err := ros.NewNode(t.Context(), ros.Config{Name: name, MasterURI: master, Host: "127.0.0.1", Log: zerolog.Nop()})
	need.Must(t, err)
	t.Cleanup(func() { n.Close() }) //nolint:errcheck // at the end
	return n
}

// DepthFrame returns a frame with one row of depths. units is in metres.
func DepthFrame(units float32, pixels ...uint16) *camdriver.Frame {
	f := camdriver.NewFrame(nil)
	f.Profile = camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: len(pixels), Height: 1}
	f.Width, f.Height, f.Stride, f.DepthUnits = len(pixels), 1, 2*len(pixels), units
	for _, p := range pixels {
		f.Data = append(f.Data, byte(p), byte(p>>8))
	}
	return f
}

// SetBool waits for a std_srvs/SetBool service and calls it. The call must succeed. SetBool returns its message.
func SetBool(t testing.TB, n *ros.Node, service string, on bool) string {
	t.Helper()
	return call(t, n, service, "std_srvs/SetBool", msgs.Marshal(&msgs.Bool{Data: on}))
}

// Trigger waits for a std_srvs/Trigger service and calls it. The call must succeed. Trigger returns its message.
func Trigger(t testing.TB, n *ros.Node, service string) string {
	t.Helper()
	return call(t, n, service, "std_srvs/Trigger", nil)
}

func call(t testing.TB, n *ros.Node, service, kind string, request []byte) string {
	t.Helper()
	var reply []byte
	peer.Await(t, service, func() (found bool) {
		var err error
		reply, err = n.CallService(t.Context(), service, msgs.MustService(kind), request)
		return err == nil
	})
	var answer msgs.Result
	if err := msgs.Unmarshal(reply, &answer); err != nil || !answer.Success {
		t.Fatalf("%s: %+v, %v", service, answer, err)
	}
	return answer.Message
}
