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
		Use:  "upload FOLDER…",
		Args: cobra.MinimumNArgs(1),
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
