package main

import (
	"testing"

	"rsros/test/helppages"
)

// TestHelpPages checks that testdata/help has the help of each command.
func TestHelpPages(t *testing.T) {
	helppages.Check(t, "testdata/help", newRootCommand(&app{}))
}
