package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/convert"
	"rsros/bagstore/rsdb3"
	"rsros/bagstore/swap"
	"rsros/program"
)

type convertOptions struct {
	bag   bagstore.Options
	sdk   string
	force bool
	quiet bool
}

func newConvertCommand(a *app) *cobra.Command {
	o := convertOptions{bag: bagstore.Options{Compression: bagstore.None}}
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Turn a RealSense recording into a .bag or a .db3",
		Long: `convert writes a RealSense recording in another format, which OUT's name chooses:
a .bag of version 3, which librealsense up to 2.57 records and all releases
play, or a .db3, which librealsense records and plays since 2.58. IN is either.
Frames, metadata, times, options with their changes, calibration, extrinsics and
notifications stay what they are. What OUT can't hold, such as a pose in a .db3,
is listed.

Exit codes: 0 done, 3 done but OUT doesn't hold all of IN, 1 not done; there is
no output then.`,
		Example: `  rs-ros-node convert walk.db3 walk.bag
  rs-ros-node convert walk.db3 walk.bag --lz4
  rs-ros-node convert walk.bag walk.db3 --sdk 2.58.1`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.convert(cmd.Context(), args[0], args[1], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.sdk, "sdk", "2.58.3", "for a .db3: the release whose form is written, 2.58.1 or 2.58.3; both play either")
	overwriteFlag(f, &o.force, "replace OUT if it exists")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "log errors only")
	bagFlags(f, &o.bag)
	return cmd
}

func (a *app) convert(ctx context.Context, in, out string, o convertOptions) error {
	a.quiet = a.quiet || o.quiet
	if swap.SameFile(in, out) {
		return usageError{errors.New("input and output are the same file")}
	}
	release, known := rsdb3.Releases[o.sdk]
	if !known {
		return usageError{fmt.Errorf("--sdk %q: want 2.58.1 or 2.58.3", o.sdk)}
	}
	var run func(context.Context, convert.Options) (convert.Result, error)
	switch filepath.Ext(out) {
	case ".bag":
		run = convert.ToBag
	case ".db3": // librealsense wants it in lower case
		run = convert.ToDB3
	default:
		return usageError{fmt.Errorf("%s: OUT must end in .bag or .db3", out)}
	}
	log := a.logger()
	report, done := a.progress(filepath.Base(out), false)
	r, err := run(ctx, convert.Options{In: in, Out: out, Overwrite: o.force, Release: release, Bag: o.bag, Progress: report})
	done()
	if err != nil {
		return undone(err)
	}
	log.Info().Str("out", out).Uint64("frames", r.Frames).Uint64("events", r.Events).Str("size", megabytes(r.Size)).Msg("written")
	var lost []string
	for _, l := range r.Lost {
		log.Warn().Uint64("count", l.Count).Msg("not in the output as it was: " + l.What)
		lost = append(lost, l.What)
	}
	if r.Damaged > 0 {
		log.Warn().Uint64("messages", r.Damaged).AnErr("last", r.Why).Msg("damaged messages were left out")
		lost = append(lost, "damaged messages")
	}
	if len(lost) > 0 {
		return fmt.Errorf("%w: %s doesn't hold all of %s: %s", program.ErrIncomplete, out, in, strings.Join(lost, "; "))
	}
	return nil
}
