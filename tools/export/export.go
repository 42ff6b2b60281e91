// Package export writes bags in formats of other programs: as a folder of images, tables and point
// clouds with a manifest, or as text. Images are encoded on all cores, in goroutines that Run waits for.
package export

import (
	"context"
	"slices"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/program"
	"rsros/tools/bagset"
)

// Options are the settings of Run.
type Options struct {
	Bag       string
	Selection bagset.Selection
	Camera    string // of a recording of several; "": all
	Dir       string // folder or address; new, empty, or of an export that was killed
	Points    bool   // point clouds, too
	Aligned   bool   // depth as the colour camera sees it, too
	Overwrite bool   // of an export: what it lists is removed first
	Progress  bagstore.Progress
	Log       zerolog.Logger
}

// Run writes a folder (docs/commands/export.md). Files get their names when they are complete, the manifest last. The
// summary is of what it wrote. The error is a program.ErrIncomplete if selected messages can't be read; all others are
// exported then.
func Run(ctx context.Context, o Options) (made program.Summary, err error) {
	open := bagstore.OpenOptions{Context: ctx, Sequential: true, Verify: true, Progress: o.Progress}
	bags, filter, lost, err := o.Selection.Open([]string{o.Bag}, open, o.Log)
	defer bagset.Close(bags)
	if err != nil {
		return made, err
	}
	var f *folder
	write := func(dir string) (err error) {
		o.Dir = dir
		f, err = exportFolder(ctx, bags[0], filter, o)
		return err
	}
	made.Paths = []string{o.Dir}
	switch {
	case place.IsAddress(o.Dir):
		err = place.WriteFolder(ctx, o.Dir, write)
	case o.Overwrite:
		if err = clearFolder(o.Dir); err == nil {
			err = write(o.Dir)
		}
	default:
		err = place.FillFolder(o.Dir, func() error { return write(o.Dir) })
	}
	if err != nil {
		return made, err
	}
	made.Counts, made.Size = []string{program.Count(f.count.Load(), "file")}, f.size.Load()
	return made, bagset.Loss(f.bad+f.walk.Damaged, f.walk.Clamped, slices.Concat(lost, f.unknown, bagset.Found(bags)))
}
