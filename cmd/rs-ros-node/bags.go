package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"rsros/bagstore"
	"rsros/bagstore/tools/bagset"
	"rsros/bagstore/tools/info"
	"rsros/program"
)

// What the commands over whole bag files share.

// errInterrupted is Ctrl-C during work on a file: unlike the end of a running
// node it leaves the work undone, and scripts must notice.
var errInterrupted = errors.New("interrupted before the end")

// undone explains the error of work that left no output.
func undone(err error) error {
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	if _, damaged := errors.AsType[*bagstore.FormatError](err); damaged {
		return fmt.Errorf("%w; recover makes a sound bag of what is whole", err)
	}
	return err
}

// selectionFlags choose messages.
func selectionFlags(f *pflag.FlagSet, s *bagset.Selection) {
	f.StringSliceVarP(&s.Topics, "topics", "t", nil, "topics to select, separated by commas")
	f.StringArrayVarP(&s.Match, "regex", "e", nil, "select topics whose whole name matches")
	f.StringArrayVarP(&s.Exclude, "exclude", "x", nil, "leave out topics whose whole name matches")
	f.StringSliceVar(&s.Types, "types", nil, "select messages of these types, separated by commas")
	f.StringVarP(&s.Start, "start", "s", "", "select messages from this time on: seconds from the first message or since 1970, or a date")
	f.StringVar(&s.End, "end", "", "select messages up to this time")
}

// overwriteFlag lets outputs replace files that are there. --force is rosbag's
// name for it.
func overwriteFlag(f *pflag.FlagSet, overwrite *bool, usage string) {
	f.BoolVarP(overwrite, "overwrite", "f", false, usage)
	f.BoolVar(overwrite, "force", false, "as --overwrite")
	_ = f.MarkHidden("force") // it is there
}

// quietFlag is rosbag's name for --no-log.
func (a *app) quietFlag(f *pflag.FlagSet) {
	f.BoolVarP(&a.quiet, "quiet", "q", false, "log errors only")
}

// compressionOf is what most chunks of a bag have.
func compressionOf(ctx context.Context, path string) (bagstore.Compression, error) {
	s, err := summarize(ctx, path, info.Options{})
	if err != nil {
		return "", err
	}
	return mostUsed(s), nil
}

func mostUsed(s *info.Summary) bagstore.Compression {
	if len(s.Compressions) == 0 {
		return bagstore.None
	}
	return s.Compressions[0].Kind
}

// verdict sums up work on several bags: the worst outcome decides.
type verdict struct {
	damaged, failed []string
}

func (v *verdict) add(path string, o bagstore.Outcome) {
	switch o {
	case bagstore.Damaged:
		v.damaged = append(v.damaged, path)
	case bagstore.Unreadable:
		v.failed = append(v.failed, path)
	}
}

func (v *verdict) err(damaged, failed string) error {
	switch {
	case len(v.failed) > 0:
		return fmt.Errorf("%s: %s", failed, strings.Join(v.failed, ", "))
	case len(v.damaged) > 0:
		return fmt.Errorf("%w: %s: %s", program.ErrIncomplete, damaged, strings.Join(v.damaged, ", "))
	}
	return nil
}

// megabytes shows a size.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
