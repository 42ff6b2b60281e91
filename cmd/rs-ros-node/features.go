package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"rsros/bagstore"
	"rsros/node/play"
	"rsros/node/record"
	"rsros/node/replay"
)

// printFeatures prints which platform-dependent features this build has on this machine,
// or what replaces them.
func printFeatures(out io.Writer) error {
	bags := bagstore.ThisPlatform()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range [][2]string{
		{"direct writing", bags.Direct},
		{"whole files read directly", bags.Ahead},
		{"disk space reserved ahead", bags.Reserve},
		{"free space watched", record.FreeSpace},
		{"files locked", bags.Locks},
		{"messages mapped", bags.Maps},
		{"huge pages", bags.HugePages},
		{"exact timing", replay.Precision},
		{"keys", play.Keys},
		{"job control", play.JobControl},
		{"USB cameras", usbSupport},
	} {
		fmt.Fprintf(table, "%s\t%s\n", f[0], f[1]) //nolint:errcheck // Flush returns the error
	}
	return table.Flush()
}
