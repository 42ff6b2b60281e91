package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"rsros/program"
	"rsros/record/upload"
)

func newUploadCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "upload FOLDER…",
		Short: "Finish interrupted uploads of recordings",
		Long: `upload continues the uploads that record and live with --upload left in folders, for
example after a kill or days without a network, and ends when everything is uploaded.
Each file goes to the address of --upload, and is removed when it is stored there
unless --upload-keep was set.

Exit codes: 0 everything is uploaded, 1 interrupted, and the rest still waits.`,
		Example: `  rs-ros-node upload /data/recordings`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, dir := range args {
				if st, err := os.Stat(dir); err != nil || !st.IsDir() {
					return usageError{fmt.Errorf("%s isn't a folder", dir)}
				}
			}
			status, err := upload.Rest(cmd.Context(), a.logger(), a.progressLines("upload"), args...)
			s := program.Summary{Verb: "uploaded", Counts: []string{program.Count(status.Uploaded, "file")}}
			if err != nil {
				s.Losses, s.Next = []string{program.Count(status.Waiting, "file") + " left"}, "the same command continues"
				err = errInterrupted
			}
			a.made(s)
			return err
		},
	}
}
