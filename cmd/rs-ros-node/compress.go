package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/recording"
	"rsros/node/settings"
	"rsros/program"
	"rsros/tools/bagset"
	"rsros/tools/convert"
	"rsros/tools/rewrite"
)

type compressOptions struct {
	bag   bagstore.Options
	place rewrite.Placement
}

// newCompressCommand returns compress or decompress, whose compression is by default usual.
func newCompressCommand(a *app, use string, set settings.Set, usual bagstore.Compression) *cobra.Command {
	var o compressOptions
	cmd, f := newCommand(use, cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		o.bag.Compression = cmp.Or(o.bag.Compression, usual)
		return a.compress(ctx, args, o)
	})
	outputFlag(f, &o.place.Output,
		"`PATH` to write: a file, or a folder for several bags, which keep their names (default: in place)")
	overwriteFlag(f, &o.place.Force, "replace existing files, including backups")
	settingFlags(cmd, set, &o.bag)
	return cmd
}

// compress continues after a bag that fails.
func (a *app) compress(ctx context.Context, paths []string, o compressOptions) error {
	if err := o.place.Resolve(len(paths) > 1); err != nil {
		return usageError{err}
	}
	if o.place.Output == "" && slices.ContainsFunc(paths, place.IsAddress) {
		return usageError{rewrite.ErrObject}
	}
	log := a.logger()
	var all verdict
	for _, path := range paths {
		outcome, err := a.compressOne(ctx, path, o)
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			log.Error().Str("bag", path).Msg(err.Error())
			outcome = bagstore.Unreadable
		}
		all.add(path, outcome)
	}
	return all.err("messages of damaged bags are missing", "not done")
}

func (a *app) compressOne(ctx context.Context, path string, o compressOptions) (bagstore.Outcome, error) {
	log := a.logger()
	bags, losses, err := bagset.Open([]string{path}, bagstore.OpenOptions{Context: ctx, Sequential: true}, log)
	closeBags := sync.OnceFunc(func() { bagset.Close(bags) })
	defer closeBags()
	if err != nil {
		return bagstore.Unreadable, err
	}
	lost := len(losses) > 0
	format, err := recording.FormatOf(ctx, path)
	if err == nil {
		err = convert.Misnamed(format, o.place.Name(path))
	}
	if err == nil && format == recording.SQLite && o.place.Output == "" {
		err = recording.CheckLeftover(path)
	}
	if err != nil {
		return bagstore.Unreadable, err
	}
	if o.bag.Compression == bagstore.BZ2 && format == recording.Bag && rsbag.HasLayout(ctx, path) {
		log.Warn().Str("bag", path).Msg("librealsense can't play BZ2; use --lz4")
	}
	before, err := place.Stat(ctx, path)
	if err != nil && format != recording.Folder { // Rewrite explains a folder
		return bagstore.Unreadable, err
	}
	report, done := a.progress(place.Base(path), false)
	messages, size := uint64(0), int64(0)
	original, err := o.place.Rewrite(ctx, path, func(out string) (err error) {
		defer closeBags() // Windows can't replace an open file
		bag := o.bag
		bag.Overwrite = o.place.Force || !place.IsAddress(out) // Rewrite found that out is free
		if format != recording.Bag {
			r, err := convert.Again(ctx, convert.Options{In: path, Out: out, Bag: bag, Progress: report})
			messages, size, lost = r.Messages, r.Size, lost || r.Damaged+uint64(len(r.Lost)) > 0
			return err
		}
		res, err := rewrite.Merge(ctx, bags, out, rewrite.Options{Options: bag, Progress: report})
		if err == nil {
			messages, size = res.Messages, res.Size
			for _, n := range bags[0].Found() {
				lost = true
				bagset.LogNote(log, path, n)
			}
		}
		return err
	})
	done()
	if err != nil {
		return bagstore.Unreadable, noOutput(err)
	}
	written := path
	if original == path { // it keeps its name
		written = o.place.Name(path)
	}
	a.made(program.Summary{Paths: []string{written}, Counts: []string{program.Count(messages, "message"),
		fmt.Sprintf("%s instead of the %s of %s", program.SizeText(size), program.SizeText(before.Size), original)}})
	if lost {
		return bagstore.Damaged, nil
	}
	return bagstore.Sound, nil
}
