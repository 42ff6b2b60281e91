package attack

import (
	"os"
	"testing"

	"rsros/test/peer"
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }
