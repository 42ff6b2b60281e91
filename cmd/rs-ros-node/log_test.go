package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/node/view"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/viewer/guard"
)

// TestTokenStaysOnTerminal checks that a viewer's token is shown on the terminal only: in a log, others would read it.
func TestTokenStaysOnTerminal(t *testing.T) {
	conf, _, err := graph.ParseArgs(nil, nil)
	need.Must(t, err)
	var screen bytes.Buffer
	var access view.Access
	a := &app{ros: conf, raw: streams{err: &screen}}
	log := a.serveViewers(&access)
	l, err := guard.Listen(guard.Access{Address: "0.0.0.0:0"}, zerolog.Nop(), http.NotFoundHandler())
	need.Must(t, err)
	defer l.Close() //nolint:errcheck // nothing is served
	_, token, _ := strings.Cut(l.URL().Secret(), "token=")
	log.Info().Stringer("a", l.URL()).Any("b", l.URL()).Any("c", []any{l.URL()}).Msgf("%v %+v %s", l.URL(), l.URL(), l.URL())
	if token == "" || strings.Contains(screen.String(), token) {
		t.Errorf("the log shows %q", screen.String())
	}
	for where, lines := range map[string]*ros.LogWriter{"/rosout": conf.Rosout, "viewers": access.Lines} {
		if m := (<-lines.Lines()).Log(); !strings.Contains(m.Msg, "token=…") || strings.Contains(m.Msg, token) {
			t.Errorf("%s gets %q", where, m.Msg)
		}
	}
	access.Announce(l.URL().Secret())
	if !strings.Contains(screen.String(), token) {
		t.Errorf("the terminal shows %q", screen.String())
	}
}

// TestQuiet checks that -q leaves only data and errors, in any place of the command line.
func TestQuiet(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	in := func(name string) string { return filepath.Join(filepath.Dir(bag), name) }
	for _, args := range [][]string{
		{"filter", bag, "-o", in("f.bag"), "-q"}, {"-q", "filter", bag, "-o", in("f.mcap")}, {"merge", "-qf", bag, "-o", in("f.bag")}, {"convert", "--quiet", bag, "-o", in("c.mcap")},
		{"split", bag, "--split-count", "100", "-q"}, {"recover", "-q", bag, "-o", in("r.bag")}, {"reindex", "-q", in("r.bag")}, {"compress", "-q", "--lz4", in("f.bag")},
		{"decompress", "-qf", in("f.bag")}, {"export", "-q", bag, "-o", in("folder")}, {"catalog", "-q", bag, "-o", in("c.jsonl")}, {"catalog", "merge", "-q", in("c.jsonl"), "-o", in("d.jsonl")},
	} {
		if code, out, log := command(t, args...); code != exitOK || out+log != "" {
			t.Errorf("%q: %d\n%s%s", args, code, out, log)
		}
	}
	for _, args := range [][]string{{"cat", bag, "-n", "1"}, {"info", bag}, {"check", bag}, {"split", "-f", "--json", "--split-count", "100", bag}, {"recover", "-f", "--json", bag}} {
		loud, quiet := want(t, exitOK, args...), want(t, exitOK, append(args, "-q")...)
		if loud == "" || loud != quiet {
			t.Errorf("%q: with -q %q, else %q", args, quiet, loud)
		}
	}
	if code, _, log := command(t, "info", "-q", in("none.bag")); code == exitOK || !strings.Contains(log, "none.bag") {
		t.Errorf("the error is missing: %d %s", code, log)
	}
}
