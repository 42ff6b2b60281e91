package main

import (
	"strings"
	"testing"

	"rsros/test/samplebag"
)

// TestCompletion asks what may follow on a command line, as completion scripts do.
func TestCompletion(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
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
	} {
		code, out, errs := command(t, append([]string{"__complete"}, c.typed...)...)
		if code != exitOK || !strings.Contains(strings.ToLower("\n"+out), "\n"+c.want) {
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
