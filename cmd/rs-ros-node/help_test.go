package main

import (
	"path/filepath"
	"testing"

	"rsros/test/helppages"
)

// TestHelpPages checks that testdata/help has the help of each command.
func TestHelpPages(t *testing.T) {
	helppages.Check(t, "testdata/help", newRootCommand(&app{}))
}

// TestCommandPages checks that docs/commands has the flags of each command.
func TestCommandPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/commands/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	helppages.CheckBlocks(t, pages, newRootCommand(&app{}))
}
