//go:build manual

package main

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"rsros/program"
)

// addManual adds the command that writes the manual pages of packages.
func addManual(root *cobra.Command) {
	topic, _, _ := root.Find([]string{"global"}) // it exists
	root.Long += "\n\n" + topic.Long
	root.AddCommand(&cobra.Command{
		Use: "manual FOLDER", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Write manual pages into a folder",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root.DisableAutoGenTag = true
			epoch := time.Unix(0, 0).UTC() // the pages name their version
			return doc.GenManTree(root, &doc.GenManHeader{
				Section: "1", Source: program.Name + " " + program.Version,
				Manual: strings.ToUpper(program.Name), Date: &epoch,
			}, args[0])
		},
	})
}
