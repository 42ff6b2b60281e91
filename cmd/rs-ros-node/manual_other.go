//go:build !manual

package main

import "github.com/spf13/cobra"

// addManual adds nothing: manual pages are written by a build with the tag manual.
func addManual(*cobra.Command) {}
