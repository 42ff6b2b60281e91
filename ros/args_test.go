package ros

import (
	"reflect"
	"testing"

	"rsros/test/need"
)

func TestParseArgs(t *testing.T) {
	args := []string{"live", "a:=b", "_rate:=30", "--device", "sim", "__name:=cam", "_list:=[1, 2.5, x]", "__ns:=/robot",
		"_on:=true", "__master:=http://m:1", "__ip:=10.0.0.1", "__hostname:=h", "__log:=/tmp/l", "_s:='7'", "_neg:=-3", "__unknown:=1", "_m:={a: 1}", "_e:="}
	cfg, rest, err := ParseArgs(args, []string{"ROS_MASTER_URI=http://env:11311", "ROS_NAMESPACE=env"})
	need.Must(t, err)
	want := Config{Name: "cam", Namespace: "/robot", MasterURI: "http://m:1", Host: "h", LogFile: "/tmp/l",
		Remaps: map[string]string{"a": "b"},
		PrivateParams: map[string]any{"rate": 30, "list": []any{1, 2.5, "x"}, "on": true, "s": "7", "neg": -3,
			"m": map[string]any{"a": 1}, "e": ""}}
	if !reflect.DeepEqual(cfg, want) {
		t.Errorf("got  %+v\nwant %+v", cfg, want)
	}
	if !reflect.DeepEqual(rest, []string{"live", "--device", "sim"}) {
		t.Errorf("rest %q", rest)
	}
}

func TestParseEnviron(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"ROS_IP=1.2.3.4"}, "1.2.3.4"},
		{[]string{"ROS_IP=1.2.3.4", "ROS_HOSTNAME=h"}, "h"},
		{[]string{"ROS_IP=1.2.3.4", "ROS_HOSTNAME="}, "1.2.3.4"},
		{nil, ""},
	} {
		cfg, _, err := ParseArgs(nil, c.env)
		if err != nil || cfg.Host != c.want {
			t.Errorf("%q: host %q, %v", c.env, cfg.Host, err)
		}
	}
}

func TestParseArgsRefuses(t *testing.T) {
	for _, arg := range []string{":=b", "a:=", "a b:=c", "a:=c d", "_p:=[1", "_:=1", "__name:=a/b", "__name:=", "_p:=99999999999", "_a b:=1"} {
		if _, _, err := ParseArgs([]string{arg}, nil); err == nil {
			t.Errorf("%q was accepted", arg)
		}
	}
}
