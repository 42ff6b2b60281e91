// Package attack attacks the program with damaged files and hostile peers. Seeds are
// fixed, so that a failure can be repeated. CI runs it briefly, `make attack` for longer.
package attack

import (
	"os"
	"testing"

	"rsros/test/peer"
)

func TestMain(m *testing.M) {
	peer.Waits()
	os.Exit(peer.Main(m))
}
