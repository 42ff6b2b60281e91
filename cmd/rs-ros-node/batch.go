package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/program"
	"rsros/ros/graph"
	"rsros/tools/batch"
	"rsros/tools/rewrite"
	"rsros/tools/rules"
)

type batchOptions struct {
	batch.Options
	in, list, to, shard string
	shards              int
}

// batched is a command that batch runs.
type batched struct {
	// to are the kinds of output, the default first; if that is empty, the user must choose. A
	// command without them writes no files; the others have --output.
	to []string
	// json commands report in JSON.
	json bool
	// own are flags of the command that batch sets or can't do with.
	own []string
	// rules: the command has --rules, a file that it reads for every item.
	rules bool
	// positional is how many arguments the user may give.
	positional int
}

const (
	sameKind   = "same" // the output has the name of the input
	folderKind = "folder"
	rowKind    = "jsonl" // after the whole name of the input
)

var batchCommands = map[string]batched{
	"check":    {json: true, own: []string{"rules-from"}, rules: true},
	"info":     {json: true, own: []string{"yaml", "key"}},
	"catalog":  {to: []string{rowKind}, own: []string{"jobs"}},
	"recover":  {to: []string{sameKind}, json: true, own: []string{"in-place"}},
	"compress": {to: []string{sameKind}},
	"convert":  {to: []string{"", "bag", "db3", "mcap", folderKind}},
	"filter":   {to: []string{"bag"}, own: []string{"print"}, positional: 1},
	"process":  {to: []string{"bag"}},
	"export":   {to: []string{folderKind}},
}

// line returns the command line for one item.
func (c batched) line(name, in, out string, flags []string) []string {
	args := []string{name, in}
	if c.to != nil {
		args = append(args, "--output", out)
	}
	if c.json {
		args = append(args, "--json")
	}
	return append(args, flags...)
}

func newBatchCommand(a *app) *cobra.Command {
	var o batchOptions
	cmd, f := newCommand("batch COMMAND FOLDER -o FOLDER [-- FLAGS]", batchArgs,
		func(ctx context.Context, args []string) error {
			o.in = args[1]
			return a.batch(ctx, args[0], args[2:], o)
		})
	cmd.ValidArgs = slices.Sorted(maps.Keys(batchCommands))
	outputFlag(f, &o.Out, "`FOLDER` or address for outputs, and for markers in .batch")
	f.StringVar(&o.list, "list", "", "process only the recordings named in this `FILE`, one on each line")
	f.StringVar(&o.to, "to", "", "`FORMAT` of the output of convert: bag, db3, mcap or folder")
	f.StringVar(&o.shard, "shard", "", "process shard `I/N`, from 0/N to N-1/N; the default is that of the array job")
	f.IntVar(&o.shards, "shards", 0, "`N` shards, for array jobs that don't provide it, such as those of Kubernetes")
	f.IntVar(&o.Jobs, "jobs", 0, "process `N` recordings at a time; the default is the number of cores")
	overwriteFlag(f, &o.Overwrite, "replace outputs that batch didn't write")
	return cmd
}

// batchArgs wants a command, its folder, and --output; what follows -- is for the command.
func batchArgs(cmd *cobra.Command, args []string) error {
	own := args
	if d := cmd.ArgsLenAtDash(); d >= 0 {
		own = args[:d]
	}
	switch {
	case len(own) < 2:
		return errors.New("batch needs a command, and the folder of the recordings")
	case !cmd.Flags().Changed("output"):
		return errors.New("batch needs -o, the folder for outputs and markers")
	case len(own) > 2:
		return fmt.Errorf("%q: flags and arguments of %s follow --", own[2], own[0])
	}
	return nil
}

func (a *app) batch(ctx context.Context, name string, flags []string, o batchOptions) error {
	command, ok := batchCommands[name]
	if !ok {
		return usage("batch can't run %q", name)
	}
	flags, inputs, err := command.check(name, flags, &o)
	if err != nil {
		return usageError{err}
	}
	shard, err := o.shardOf(os.Getenv)
	if err != nil {
		return usageError{err}
	}
	line := []string{name}
	if o.to != "" && o.to != sameKind {
		line = append(line, "--to="+o.to)
	}
	o.Command, o.Files, o.Program = append(line, flags...), inputs, program.Version
	o.Jobs = cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	o.Do = func(ctx context.Context, in, out string) batch.Outcome {
		if strings.HasPrefix(in, "-") {
			in = "./" + in
		}
		return runItem(ctx, command.line(name, in, out, flags))
	}
	if command.to != nil {
		o.Output = func(name string) string { return outputName(name, o.to) }
	}
	items, err := batch.Select(ctx, o.in, o.Out, o.list, o.Output)
	if err != nil {
		return err
	}
	o.Items = shard.Of(items)
	return a.runBatch(ctx, shard, o.Options)
}

// check finds what is wrong with a command line before any item is begun, and returns the flags in full,
// and the files that they name.
func (c batched) check(name string, flags []string, o *batchOptions) (full, inputs []string, err error) {
	switch {
	case o.Jobs < 0:
		return nil, nil, fmt.Errorf("--jobs %d: want at least 1", o.Jobs)
	case c.to != nil && (batch.Below(o.Out, o.in) || rewrite.SameFile(o.in, o.Out)):
		return nil, nil, errors.New(
			"the folder is that of -o or below it: outputs would be recordings of the next run, or replace them")
	case o.to != "" && !slices.Contains(c.to, o.to) || o.to == sameKind:
		return nil, nil, fmt.Errorf("%s has no --to %s", name, o.to)
	case o.to == "" && c.to != nil && c.to[0] == "":
		return nil, nil, fmt.Errorf("%s needs --to with one of%s", name, strings.Join(c.to, " "))
	case o.to == "" && c.to != nil:
		o.to = c.to[0]
	}
	root := newRootCommand(&app{})
	args, err := expandFlags(root, append([]string{name}, flags...))
	if err != nil {
		return nil, nil, err
	}
	cmd, rest, err := root.Find(args)
	if err == nil {
		if err = cmd.ParseFlags(rest); err != nil {
			err = flagError(cmd, err)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for _, flag := range append(c.own, "output", "json", "overwrite", "force", "help") {
		if cmd.Flags().Changed(flag) {
			return nil, nil, fmt.Errorf("%s --%s: batch sets this flag", name, flag)
		}
	}
	if n := cmd.Flags().NArg(); n > c.positional {
		return nil, nil, fmt.Errorf("%q: the recordings are those of the folder", cmd.Flags().Arg(c.positional))
	}
	if c.rules {
		if path := cmd.Flags().Lookup("rules").Value.String(); path != "" {
			if _, err := rules.Read(path); err != nil {
				return nil, nil, err
			}
			inputs = []string{path}
		}
	}
	return rest, inputs, nil
}

func (o batchOptions) shardOf(env func(string) string) (batch.Shard, error) {
	if o.shard == "" {
		return batch.ShardOf(env, o.shards)
	}
	if o.shards != 0 {
		return batch.Shard{}, errors.New("--shard and --shards exclude each other")
	}
	return batch.ParseShard(o.shard)
}

func outputName(name, to string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".active"), ".zstd")
	switch to {
	case sameKind:
		return name
	case rowKind:
		return name + "." + to
	}
	for _, ext := range []string{".bag", ".db3", ".mcap"} {
		name = strings.TrimSuffix(name, ext)
	}
	if to == folderKind { // convert makes a folder of a name without a dot
		return path.Join(path.Dir(name), strings.ReplaceAll(path.Base(name), ".", "_"))
	}
	return name + "." + to
}

// runItem runs a command line in this process.
func runItem(ctx context.Context, args []string) batch.Outcome {
	out, log := &capture{limit: batch.MaxResult}, &capture{limit: 64 << 10}
	conf, _, _ := graph.ParseArgs(nil, nil) // items' names are no remaps
	a := &app{out: program.NewPrinter(out), err: program.NewPrinter(log), raw: streams{out: out, err: log},
		ros: conf, level: zerolog.InfoLevel}
	root := newRootCommand(a)
	root.SetIn(strings.NewReader(""))
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetArgs(args)
	err := errors.Join(root.ExecuteContext(ctx), a.out.Close(), a.err.Close())
	o := batch.Outcome{Err: err, Log: log.warnings(), State: batch.Failed}
	switch exitCode(err) {
	case exitOK:
		o.State = batch.Done
	case exitIncomplete:
		o.State = batch.Incomplete
	}
	switch {
	case out.cut:
		o.Log = append(o.Log, fmt.Sprintf("WRN the result is left out: it has more than %d bytes", out.limit))
	case json.Valid(out.Bytes()):
		o.Result = out.Bytes()
	}
	return o
}

// capture keeps the beginning of what is written. It is safe for concurrent use.
type capture struct {
	mu sync.Mutex
	bytes.Buffer
	limit int
	cut   bool
}

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(p), c.limit-c.Len())
	c.Buffer.Write(p[:n])
	c.cut = c.cut || n < len(p)
	return len(p), nil
}

// maxWarnings bounds the lines of an item's log.
const maxWarnings = 20

// warnings returns the warnings and errors of a log, without their times.
func (c *capture) warnings() (lines []string) {
	for line := range strings.Lines(c.String()) {
		_, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if (strings.HasPrefix(text, "WRN ") || strings.HasPrefix(text, "ERR ")) && len(lines) < maxWarnings {
			lines = append(lines, text)
		}
	}
	return lines
}

// runBatch prints the results and sums them up.
func (a *app) runBatch(ctx context.Context, shard batch.Shard, o batch.Options) error {
	var total, finished uint64
	for _, it := range o.Items {
		total += uint64(max(0, it.Size)) + 1
	}
	show, lines, done := a.progressOver("batch " + o.Command[0])
	count := make(map[batch.State]int)
	before := 0
	o.Report = func(r batch.Result) error {
		if count[r.State]++; r.Before {
			before++
		}
		line, err := json.Marshal(r)
		if err == nil {
			_, err = lines.Write(append(line, '\n'))
		}
		if finished += uint64(max(0, r.Size)) + 1; show != nil {
			show(finished, total)
		}
		return err
	}
	err := batch.Run(ctx, o)
	done()
	a.made(program.Summary{Verb: "batch " + o.Command[0], Paths: []string{o.Out},
		Counts: []string{fmt.Sprintf("%s of shard %v, %d done, %d incomplete, %d failed, %d done before",
			program.Count(len(o.Items), "recording"), shard, count[batch.Done], count[batch.Incomplete],
			count[batch.Failed], before)}})
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	case count[batch.Failed] > 0:
		return fmt.Errorf("%d of %d recordings failed", count[batch.Failed], len(o.Items))
	case count[batch.Incomplete] > 0:
		return fmt.Errorf("%w: %d of %d recordings lost something", program.ErrIncomplete,
			count[batch.Incomplete], len(o.Items))
	}
	return nil
}
