package main

import (
	"strings"
	"testing"

	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestCompletion asks what may follow on a command line, as completion scripts do.
func TestCompletion(t *testing.T) {
	bag, camera := samplebag.Walk(t, "walk.bag"), samplebag.SDK(t, "sw_small_raw.bag", "camera.bag")
	m, err := graph.StartMaster(t.Context(), graph.MasterOptions{Address: "127.0.0.1:0"})
	need.Must(t, err)
	defer m.Close()
	for _, c := range []struct {
		typed []string
		want  string
	}{
		{[]string{"rec"}, "record\trecord"},
		{[]string{"rec"}, "recover\t"},
		{[]string{"live", "--align"}, "--align-depth\t"},
		{[]string{"play", "a.bag", "--start"}, "--start\t"},
		{[]string{"play", "_rate:=2", "--start"}, "--start\t"},
		{[]string{""}, "completion\t"},
		{[]string{"live", "--naming", ""}, "wrapper\n"},
		{[]string{"play", "a.bag", "--unite-imu", "c"}, "copy\n"},
		{[]string{"live", "--device", ""}, "sim\nusb\n"},
		{[]string{"filter", bag, "--topics", "/c"}, "/count\n"},
		{[]string{"play", bag, "--topics", ""}, "/count\n"},
		{[]string{"play", "nowhere.bag", "--topics", ""}, ":0\n"},
		{[]string{"live", "--device", "sim", "--depth", "8"}, "848x480@30\n"},
		{[]string{"live", "--gyro", ""}, "200\n400\n"},
		{[]string{"live", "--device", camera, "--depth", ""}, "64x48@30\n:0\n"},
		{[]string{"view", "sim", "--infra1", ""}, "1280x720@30\n"},
		{[]string{"record", "__master:=" + m.URI(), "/ro"}, "/rosout_agg\n"},
		{[]string{"record", "__master:=" + m.URI(), "-a", "--topics", ""}, "/rosout_agg\n"},
		{[]string{"record", "__master:=" + m.URI(), "-O", bag, "/c"}, "/rosout_agg\n"},
		{[]string{"record", "__master:=http://127.0.0.1:1/", ""}, ":0\n"},
	} {
		code, out, errs := command(t, append([]string{"__complete"}, c.typed...)...)
		if code != exitOK || !strings.Contains("^\n"+strings.ToLower(out), "\n"+c.want) || strings.HasPrefix(c.want, ":") && out != c.want {
			t.Errorf("%q: exit %d, completed with\n%s%s\nwant %q", c.typed, code, out, errs, c.want)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		code, out, errs := command(t, "completion", shell)
		if code != exitOK || !strings.Contains(out, "__complete") {
			t.Errorf("%s: exit %d\n%s%s", shell, code, out, errs)
		}
	}
}
