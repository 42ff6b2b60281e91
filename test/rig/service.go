package rig

import (
	"testing"

	"rsros/msgs"
	"rsros/node/ros"
	"rsros/test/peer"
)

// SetBool calls a std_srvs/SetBool as soon as the master knows it. It must succeed.
func SetBool(t testing.TB, n *ros.Node, service string, on bool) {
	t.Helper()
	var reply []byte
	peer.Await(t, service, func() (found bool) {
		var err error
		reply, err = n.CallService(t.Context(), service, msgs.MustService("std_srvs/SetBool"), msgs.Marshal(&msgs.Bool{Data: on}))
		return err == nil
	})
	var answer msgs.Result
	if err := msgs.Unmarshal(reply, &answer); err != nil || !answer.Success {
		t.Fatalf("%s %v: %+v, %v", service, on, answer, err)
	}
}
