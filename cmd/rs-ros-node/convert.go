package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/node/settings"
	"rsros/program"
	"rsros/tools/bagset"
	"rsros/tools/convert"
	"rsros/tools/rewrite"
)

type convertFlags struct {
	convert.Options
	sdk  string
	part bagset.Selection
}

func newConvertCommand(a *app) *cobra.Command {
	var o convertFlags
	var f *pflag.FlagSet
	cmd, f := newCommand("convert IN -o OUT", withOutput(cobra.ExactArgs(1)),
		func(ctx context.Context, args []string) error {
			o.Device = o.Device || f.Changed("sdk") && o.ROS == 0 && filepath.Ext(o.Out) == ".db3"
			o.In = args[0]
			o.Bag.Compression = cmp.Or(o.Bag.Compression, bagstore.None)
			return a.convert(ctx, o)
		})
	outputFlag(f, &o.Out, "`PATH` of the recording to write, in the format of its extension; a folder if it has none")
	f.StringVar(&o.sdk, "sdk", "2.58.3", "for a RealSense .db3: write the format of `RELEASE` 2.58.1, 2.58.2, 2.58.3 "+
		"or 2.59.1 (or ros2), which adds camera_info and tf_static; later releases play all of them")
	f.BoolVar(&o.Device, "realsense", false, "write what a camera node published as a recording that librealsense plays")
	f.IntVar(&o.ROS, "ros", 0, "convert messages to ROS `1|2`; by default only if OUT needs it")
	f.StringVar(&o.Storage, "storage", db3.StorageSQLite,
		"`FORMAT` of a folder: sqlite3, or mcap, which ROS 2 reads without further packages since Iron")
	cameraFlag(f, &o.Camera)
	o.part.Flags(f)
	overwriteFlag(f, &o.Bag.Overwrite, "replace OUT if it exists; a folder is never replaced")
	settingFlags(cmd, settings.ForSDK, &o.Bag)
	return cmd
}

// check finds what is wrong with the flags, and sets the release.
func (o *convertFlags) check() error {
	out, known := o.Out, false
	switch o.Release, known = rsdb3.Releases[o.sdk]; {
	case rewrite.SameFile(o.In, out):
		return errSameFile
	case !known:
		return fmt.Errorf("--sdk %q: want 2.58.1, 2.58.2, 2.58.3, 2.59.1 or ros2", o.sdk)
	case o.ROS < 0 || o.ROS > 2:
		return fmt.Errorf("--ros %d: want 1 or 2", o.ROS)
	case o.Storage != db3.StorageSQLite && o.Storage != db3.StorageMCAP:
		return fmt.Errorf("--storage %q: want sqlite3 or mcap", o.Storage)
	case o.Device && o.ROS != 0:
		return errors.New("--realsense and --ros exclude each other")
	}
	ext := convert.FormatOf(out)
	switch {
	case o.Device && ext != ".bag" && ext != ".db3":
		return fmt.Errorf("%s: with --realsense OUT must end in .bag or .db3", out)
	case ext == ".bag" && o.ROS == 2, (ext == ".db3" || ext == "") && o.ROS == 1:
		return fmt.Errorf("%s: the format can't hold messages of ROS %d", out, o.ROS)
	case ext != ".db3" && ext != "" && ext != ".mcap" && ext != ".bag": // librealsense wants .db3 in lower case
		return fmt.Errorf("%s: OUT must end in .bag, .db3 or .mcap, or be a folder, whose name has no dot", out)
	case ext != ".db3" || o.Bag.Compression != bagstore.Zstd: // convert refuses what isn't a RealSense recording
		return compressible(out, o.Bag.Compression)
	case o.Release == rsdb3.Release2581 || o.sdk == "ros2":
		return fmt.Errorf("%s: --sdk %s reads no zstd", out, o.sdk)
	}
	return nil
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

func (a *app) convert(ctx context.Context, o convertFlags) error {
	if err := o.check(); err != nil {
		return usageError{err}
	}
	if !o.part.All() {
		o.Choose = func(bags []*bagstore.Recording) (rewrite.Options, error) {
			filter, err := o.part.Filter(bags)
			filter.Latched = true
			return rewrite.Options{Filter: filter}, err
		}
	}
	report, done := a.progress(filepath.Base(o.Out), false)
	o.Progress = report
	r, err := convert.Run(ctx, o.Options)
	done()
	if err != nil {
		return noOutput(err)
	}
	return a.converted(r, o.In, o.Out)
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
