package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/bagstore/formats/recording"
	"rsros/bagstore/tools/anonymise"
	"rsros/bagstore/tools/swap"
	"rsros/node/record"
	"rsros/node/settings"
	"rsros/program"
)

type anonymiseOptions struct {
	anonymise.Options
	style string
	grow  float64 // per cent
}

func newAnonymiseCommand(a *app) *cobra.Command {
	var o anonymiseOptions
	cmd := &cobra.Command{
		Use:   "anonymise IN OUT --boxes FILE",
		Short: "Hide regions of images that a detector found",
		Long: `anonymise copies a recording and hides regions of its images, such as faces and number
plates. The program has no detector. Yours writes FILE, with a line of JSON for each
image:

  {"topic": "/camera/color/image_raw", "stamp": 1700000000123456789,
   "boxes": [{"x": 10, "y": 20, "w": 64, "h": 64}, {"x1": 300, "y1": 8, "x2": 340, "y2": 60}]}

on one line. stamp is header.stamp, in nanoseconds or as a string of seconds with nine
decimals, "1700000000.123456789". time, instead of stamp, is the record time. Boxes are
in pixels. An empty list means that the image has nothing to hide.

Images are sensor_msgs/Image and CompressedImage (JPEG, PNG, compressed depth). OUT is
in IN's format, a .bag, a .db3 or an .mcap. Everything else is copied.

A line hides regions only on its topic, not in a compressed copy of the image, depth or
points of the same scene. An image with a box that can't be hidden, such as one outside
the image, is left out.

Exit codes: 0 all boxes are hidden, 3 a line has no image, an image was left out, or IN
is damaged, 1 not done, without output.`,
		Example: `  rs-ros-node anonymise walk.bag public.bag --boxes faces.jsonl
  rs-ros-node anonymise walk.mcap public.mcap --boxes faces.jsonl --style blur --grow 20
  rs-ros-node anonymise walk.bag public.bag --boxes faces.jsonl --require /camera/color/image_raw`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.In, o.Out = args[0], args[1]
			return a.anonymise(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Boxes, "boxes", "", "file with a line of JSON for each image")
	f.StringVar(&o.style, "style", string(anonymise.Mask), "mask, blur or pixelate; only mask leaves nothing to reconstruct")
	f.Float64Var(&o.grow, "grow", 0, "grow boxes on each side by this percentage of their size")
	f.IntVar(&o.Quality, "jpeg-quality", 95, "quality of JPEG images with hidden boxes, which are encoded again")
	f.StringSliceVar(&o.Require, "require", nil, "topics, separated by commas, whose images must all have a line; otherwise nothing is written")
	_ = cmd.MarkFlagFilename("boxes") // the flag exists
	_ = cmd.RegisterFlagCompletionFunc("style", cobra.FixedCompletions(styles(), cobra.ShellCompDirectiveNoFileComp))
	overwriteFlag(f, &o.Bag.Overwrite, "replace OUT if it exists")
	a.quietFlag(f)
	settingFlags(cmd, settings.Output, record.BagSettings(&o.Bag))
	return cmd
}

func styles() []string {
	return []string{string(anonymise.Mask), string(anonymise.Blur), string(anonymise.Pixelate)}
}

func (o *anonymiseOptions) check() error {
	switch {
	case o.Boxes == "":
		return errors.New("anonymise needs --boxes")
	case !slices.Contains(styles(), o.style):
		return fmt.Errorf("--style %q: want %s", o.style, strings.Join(styles(), ", "))
	case !(o.grow >= 0 && o.grow <= 1000):
		return fmt.Errorf("--grow %g: want 0 to 1000 per cent", o.grow)
	case o.Quality < 1 || o.Quality > 100:
		return fmt.Errorf("--jpeg-quality %d: want 1 to 100", o.Quality)
	}
	o.Style, o.Grow = anonymise.Style(o.style), o.grow/100
	return nil
}

func (a *app) anonymise(ctx context.Context, o anonymiseOptions) error {
	if swap.SameFile(o.In, o.Out) {
		return errSameFile
	}
	if err := o.check(); err != nil {
		return usageError{err}
	}
	format, err := recording.FormatOf(ctx, o.In)
	if err != nil {
		return err
	}
	if format == recording.Bag && o.Bag.Compression == "" {
		if o.Bag.Compression, err = compressionOf(ctx, o.In); err != nil {
			return err
		}
	}
	log := a.logger()
	var done func()
	o.Progress, done = a.progress(o.Out, false)
	r, err := anonymise.Run(ctx, o.Options)
	done()
	if err != nil {
		return noOutput(err)
	}
	log.Info().Str("out", o.Out).Uint64("messages", r.Messages).Uint64("images", r.Images).Uint64("boxes", r.Boxes).
		Uint64("images without boxes", r.Empty).Str("size", megabytes(r.Size)).Msg("written")
	for _, topic := range slices.Sorted(maps.Keys(r.Without)) {
		if n := r.Without[topic]; n > 0 {
			log.Warn().Str("topic", topic).Uint64("images", n).Msg("images without a line were copied as they are")
		}
	}
	return anonymised(log, r)
}

// anonymised returns an error for everything that the output doesn't have, or isn't hidden in it.
func anonymised(log zerolog.Logger, r anonymise.Result) error {
	lost := r.Lost
	for _, l := range []struct {
		list       anonymise.List
		each, text string
	}{
		{r.Unmatched, "no image for a line of boxes", "%d lines of boxes have no image"},
		{r.Left, "an image with boxes that can't be hidden was left out", "%d images whose boxes can't be hidden were left out"},
	} {
		for _, what := range l.list.First {
			log.Warn().Msg(l.each + ": " + what)
		}
		if l.list.Count > 0 {
			lost = append(lost, fmt.Sprintf(l.text, l.list.Count))
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", program.ErrIncomplete, strings.Join(lost, "; "))
}
