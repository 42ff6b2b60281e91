package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/node/view"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/viewer/guard"
)

// TestTokenStaysOnTerminal checks that a viewer's token is shown on the terminal only: in a log, others would read it.
func TestTokenStaysOnTerminal(t *testing.T) {
	conf, _, err := graph.ParseArgs(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	var access view.Access
	a := &app{ros: conf, raw: streams{err: &screen}}
	log := a.serveViewers(&access)
	l, err := guard.Listen(guard.Access{Address: "0.0.0.0:0"}, zerolog.Nop(), http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
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
