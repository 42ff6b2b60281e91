package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/recording"
	"rsros/node/settings"
	"rsros/program"
	"rsros/program/help"
	"rsros/tools/bagset"
	"rsros/tools/convert"
	"rsros/tools/rewrite"
)

type filterOptions struct {
	bag       bagstore.Options
	selection bagset.Selection
	noLatched bool
	out       string
	join      bool // see rewrite.Join

	expression, print string // Python, as in rosbag filter; empty for none
}

const nothingSelected = "no message was selected: the output is empty"

func newFilterCommand(a *app) *cobra.Command {
	var o filterOptions
	needsOutput := withOutput(cobra.RangeArgs(1, 2))
	needsArgs := func(cmd *cobra.Command, args []string) error {
		if len(args) == 3 && o.out == "" { // as rosbag filter has them
			return nil
		}
		err := needsOutput(cmd, args)
		if err != nil && len(args) == 2 && o.out == "" && filepath.Ext(args[1]) != "" && !isFile(args[1]) {
			err = fmt.Errorf("%w; -o %s copies all messages, %s EXPRESSION those for which it is true", err, args[1], args[1])
		}
		return err
	}
	cmd, f := newCommand("filter IN -o OUT [EXPRESSION]", needsArgs, func(ctx context.Context, args []string) error {
		if len(args) == 3 {
			o.out, args = args[1], []string{args[0], args[2]}
		}
		if len(args) == 2 {
			o.expression = args[1]
		} else if o.print != "" {
			return usage("--print needs an expression")
		}
		return a.filter(ctx, args[0], o)
	})
	o.flags(cmd)
	f.BoolVar(&o.noLatched, "no-latched", false, "leave out latched messages from before --start")
	f.StringVarP(&o.print, "print", "p", "",
		"with EXPRESSION: print the value of this `EXPR` for each message, after MATCH or NO MATCH")
	return cmd
}

// flags adds the flags that filter and merge have.
func (o *filterOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	outputFlag(f, &o.out, "`FILE` to write: a bag, or .mcap or .db3 by its extension")
	o.selection.Flags(f)
	overwriteFlag(f, &o.bag.Overwrite, "replace OUT if it exists")
	settingFlags(cmd, settings.Copy, &o.bag)
	help.First(f, "output", "topics", "exclude", "start", "end", "overwrite")
}

func (a *app) filter(ctx context.Context, in string, o filterOptions) error {
	switch {
	case rewrite.SameFile(in, o.out):
		return errSameFile
	case o.print != "" && o.out == place.Stream:
		return usage("the bag and --print can't both go to standard output")
	}
	return a.copyBags(ctx, []string{in}, o)
}

// copyBags copies what is selected into a bag with the chunks as they are stored, or message by message into another
// format.
func (a *app) copyBags(ctx context.Context, ins []string, o filterOptions) error {
	out := o.out
	if err := compressible(out, o.bag.Compression); err != nil {
		return usageError{err}
	}
	flush := func() {}
	choose := func(bags []*bagstore.Recording) (options rewrite.Options, err error) {
		options, flush, err = a.chosen(ctx, bags, o)
		return options, err
	}
	if ext := filepath.Ext(out); ext == ".mcap" || ext == ".db3" {
		report, done := a.progress(out, o.print != "")
		r, err := convert.Messages(ctx, convert.Options{
			In: ins[0], More: ins[1:], Out: out, Bag: o.bag, Progress: report, Choose: choose})
		done()
		if err != nil {
			return noOutput(err)
		}
		flush()
		return a.converted(r, strings.Join(ins, ", "), out)
	}
	if err := convert.Misnamed(recording.Bag, out); err != nil {
		return usageError{err}
	}
	log := a.logger()
	bags, lost, err := bagset.Open(ins,
		bagstore.OpenOptions{Context: ctx, Sequential: true, Progress: a.fetching(ins[0])}, log)
	defer bagset.Close(bags)
	if err != nil {
		return err
	}
	if err := rewrite.SameCompression(bags[0], &o.bag); err != nil {
		return noOutput(err)
	}
	options, err := choose(bags)
	if err != nil {
		return err
	}
	defer flush()
	skipped := bagset.Skipped{Log: log}
	options.Damaged = skipped.Handler(bags)
	report, done := a.progress(out, o.print != "")
	options.Progress = report
	res, err := rewrite.Merge(ctx, bags, out, options)
	done()
	if err != nil {
		return noOutput(err)
	}
	if res.Messages == 0 {
		log.Warn().Msg(nothingSelected)
	}
	s := program.Summary{Paths: []string{out}, Counts: []string{program.Count(res.Messages, "message")}, Size: res.Size}
	if res.Latched > 0 {
		s.Counts = append(s.Counts, fmt.Sprintf("%d of them latched before the start", res.Latched))
	}
	a.made(s)
	return bagset.Loss(0, res.Clamped, slices.Concat(lost, skipped.Lost(), bagset.Found(bags)))
}

// chosen returns the options that select messages. flush writes what --print prints.
func (a *app) chosen(ctx context.Context, bags []*bagstore.Recording,
	o filterOptions) (options rewrite.Options, flush func(), err error) {
	options.Options, flush = o.bag, func() {}
	if options.Filter, err = o.selection.Filter(bags); err != nil {
		return options, flush, err
	}
	options.Filter.Latched = !o.noLatched
	if o.join {
		rewrite.Join(&options)
	}
	if o.expression == "" {
		return options, flush, nil
	}
	chosen, err := rewrite.NewExpression(ctx, o.expression, o.print, a.out)
	if err != nil {
		return options, flush, usageError{err}
	}
	options.Keep = chosen.Keep
	return options, func() { _ = chosen.Flush() }, nil // the printed text is only for information
}
