package main

import (
	"testing"

	"rsros/test/helppages"
)

// TestHelpPages checks that the folder of help pages has that of rs-lerobot.
func TestHelpPages(t *testing.T) {
	helppages.Check(t, "../rs-ros-node/testdata/help", newCommand())
}
