package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"rsros/program"
	"rsros/record/upload"
)

func newUploadCommand(a *app) *cobra.Command {
	cmd, _ := newCommand("upload FOLDER…", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		for _, dir := range args {
			if st, err := os.Stat(dir); err != nil || !st.IsDir() {
				return usage("%s isn't a folder", dir)
			}
		}
		status, err := upload.Rest(ctx, a.logger(), a.progressLines("upload"), args...)
		s := program.Summary{Verb: "uploaded", Counts: []string{program.Count(status.Uploaded, "file")}}
		if err != nil {
			s.Losses, s.Next = []string{program.Count(status.Waiting, "file") + " left"}, "the same command continues"
			err = errInterrupted
		}
		a.made(s)
		return err
	})
	return cmd
}
