package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/node/settings"
	"rsros/program"
	"rsros/tools/bagset"
	"rsros/tools/convert"
	"rsros/tools/rewrite"
)

type convertOptions struct {
	bag     bagstore.Options
	sdk     string
	ros     int
	storage string
	part    bagset.Selection
	name    string // of a camera of a recording of several
	camera  bool   // a camera node's topics become a RealSense recording
	out     string
}

func newConvertCommand(a *app) *cobra.Command {
	var o convertOptions
	cmd := &cobra.Command{
		Use:  "convert IN -o OUT",
		Args: withOutput(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.camera = o.camera || cmd.Flags().Changed("sdk") && o.ros == 0 && filepath.Ext(o.out) == ".db3"
			o.bag.Compression = cmp.Or(o.bag.Compression, bagstore.None)
			return a.convert(cmd.Context(), args[0], o)
		},
	}
	f := cmd.Flags()
	outputFlag(f, &o.out, "`PATH` of the recording to write, in the format of its extension; a folder if it has none")
	f.StringVar(&o.sdk, "sdk", "2.58.3",
		"for a RealSense .db3: write the format of `RELEASE` 2.58.1, 2.58.2, 2.58.3 or 2.59.1 (or ros2), which adds camera_info and tf_static; later releases play all of them")
	f.BoolVar(&o.camera, "realsense", false, "write what a camera node published as a recording that librealsense plays")
	f.IntVar(&o.ros, "ros", 0, "convert messages to ROS `1|2`; by default only if OUT needs it")
	f.StringVar(&o.storage, "storage", db3.StorageSQLite,
		"`FORMAT` of a folder: sqlite3, or mcap, which ROS 2 reads without further packages since Iron")
	cameraFlag(f, &o.name)
	o.part.Flags(f)
	overwriteFlag(f, &o.bag.Overwrite, "replace OUT if it exists; a folder is never replaced")
	settingFlags(cmd, settings.ForSDK, &o.bag)
	return cmd
}

func (o convertOptions) usage(in string) error {
	out := o.out
	if rewrite.SameFile(in, out) {
		return errSameFile
	}
	if _, known := rsdb3.Releases[o.sdk]; !known {
		return fmt.Errorf("--sdk %q: want 2.58.1, 2.58.2, 2.58.3, 2.59.1 or ros2", o.sdk)
	}
	if o.ros < 0 || o.ros > 2 {
		return fmt.Errorf("--ros %d: want 1 or 2", o.ros)
	}
	if o.storage != db3.StorageSQLite && o.storage != db3.StorageMCAP {
		return fmt.Errorf("--storage %q: want sqlite3 or mcap", o.storage)
	}
	if o.camera && o.ros != 0 {
		return errors.New("--realsense and --ros exclude each other")
	}
	switch ext := convert.FormatOf(out); {
	case o.camera && ext != ".bag" && ext != ".db3":
		return fmt.Errorf("%s: with --realsense OUT must end in .bag or .db3", out)
	case ext == ".bag" && o.ros == 2, (ext == ".db3" || ext == "") && o.ros == 1:
		return fmt.Errorf("%s: the format can't hold messages of ROS %d", out, o.ros)
	case ext != ".db3" && ext != "" && ext != ".mcap" && ext != ".bag": // librealsense wants .db3 in lower case
		return fmt.Errorf("%s: OUT must end in .bag, .db3 or .mcap, or be a folder, whose name has no dot", out)
	}
	if convert.FormatOf(out) == ".db3" && o.bag.Compression == bagstore.Zstd {
		if r := rsdb3.Releases[o.sdk]; r == rsdb3.Release2581 || o.sdk == "ros2" {
			return fmt.Errorf("%s: --sdk %s reads no zstd", out, o.sdk)
		}
		return nil // convert refuses what isn't a RealSense recording
	}
	return compressible(out, o.bag.Compression)
}

// compressible returns an error if an output can't have a compression.
func compressible(out string, c bagstore.Compression) error {
	ext := convert.FormatOf(out)
	switch {
	case c == bagstore.None || c == "":
	case ext == ".bag" && c == bagstore.Zstd:
		return fmt.Errorf("%s: a bag has no zstd; use --lz4", out)
	case ext != ".bag" && ext != ".mcap":
		return fmt.Errorf("%s: the format has no compression", out)
	case ext == ".mcap" && c == bagstore.BZ2:
		return fmt.Errorf("%s: MCAP has no bz2; use --lz4 or --zstd", out)
	}
	return nil
}

func (a *app) convert(ctx context.Context, in string, o convertOptions) error {
	if err := o.usage(in); err != nil {
		return usageError{err}
	}
	var choose func([]*bagstore.Recording) (rewrite.Options, error)
	if !o.part.All() {
		choose = func(bags []*bagstore.Recording) (rewrite.Options, error) {
			filter, err := o.part.Filter(bags)
			filter.Latched = true
			return rewrite.Options{Filter: filter}, err
		}
	}
	report, done := a.progress(filepath.Base(o.out), false)
	r, err := convert.Run(ctx, convert.Options{
		In: in, Out: o.out, Choose: choose, Overwrite: o.bag.Overwrite, Release: rsdb3.Releases[o.sdk], ROS: o.ros,
		Storage: o.storage, Device: o.camera, Camera: o.name, Bag: o.bag, Progress: report,
	})
	done()
	if err != nil {
		return noOutput(err)
	}
	return a.converted(r, in, o.out)
}

// converted reports what was written.
func (a *app) converted(r convert.Result, in, out string) error {
	log := a.logger()
	counts := []string{program.Count(r.Messages, "message"), program.Count(r.Topics, "topic")}
	var next string
	var lost []string
	if r.Frames+r.Events > 0 {
		counts = []string{program.Count(r.Frames, "frame"), program.Count(r.Events, "event")}
	}
	if r.Camera {
		next = "convert --realsense makes a recording for librealsense of the camera in it"
	}
	if r.Note != "" {
		log.Info().Msg(r.Note)
	}
	for _, topic := range r.Unread {
		log.Info().Str("topic", topic).Msg("copied as it is: this program doesn't read such a stream")
	}
	for _, l := range r.Lost {
		log.Warn().Uint64("count", l.Count).Msg("lost or changed in the output: " + l.What)
		lost = append(lost, l.What)
	}
	if r.Damaged > 0 {
		log.Warn().Uint64("messages", r.Damaged).AnErr("last", r.Why).Msg("damaged messages were left out")
		lost = append(lost, "damaged messages")
	}
	if r.Messages+r.Frames == 0 {
		log.Warn().Msg(nothingSelected)
	}
	a.made(program.Summary{Paths: []string{out}, Counts: counts, Size: r.Size, Next: next})
	if len(lost) > 0 {
		return fmt.Errorf("%w: %s doesn't hold all of %s: %s", program.ErrIncomplete, out, in, strings.Join(lost, "; "))
	}
	return nil
}
