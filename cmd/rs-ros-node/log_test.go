package main

import (
	"bytes"
	"strings"
	"testing"

	"rsros/node/graph"
)

// Addresses are printed on the terminal only: in a log, others would read the token.
func TestAddressStaysOnTerminal(t *testing.T) {
	conf, _, err := graph.ParseArgs(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	a := &app{ros: conf, raw: streams{err: &screen}}
	log, viewed := a.loggerForViewers()
	log.Info().Str("url", "http://robot:8765/?token=SECRET").Msg("serving the viewer")
	log.Info().Msg("after it")
	if !strings.Contains(screen.String(), "SECRET") {
		t.Errorf("the terminal shows %q", screen.String())
	}
	if m := (<-conf.Rosout.Lines()).Log(); m.Msg != "after it" {
		t.Errorf("/rosout gets %q", m.Msg)
	}
	if m := (<-viewed.Lines()).Log(); m.Msg != "after it" {
		t.Errorf("viewers get %q", m.Msg)
	}
}
