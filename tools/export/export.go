// Package export writes bags in formats of other programs: as a folder of images, tables and point
// clouds with a manifest, as an MCAP file, or as text. Images are encoded on all cores, in goroutines that
// Run waits for.
package export

import (
	"context"
	"errors"
	"os"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/mcap"
	"rsros/bagstore/place"
	"rsros/tools/bagset"
)

// Options are the settings of Run.
type Options struct {
	Bag       string
	Selection bagset.Selection
	Dir       string               // folder or address for images and tables; new, empty, or of an export that was killed
	Points    bool                 // with Dir: point clouds, too
	Aligned   bool                 // with Dir: depth as the colour camera sees it, too
	MCAP      string               // file to write
	Compress  bagstore.Compression // of the MCAP file; lz4 or none
	Overwrite bool
	Progress  bagstore.Progress
	Log       zerolog.Logger
}

// ErrTarget means that Options name no target, or two.
var ErrTarget = errors.New("export into either a folder or an MCAP file")

// Run writes an MCAP file or a folder (docs/commands.md). Files get their names when they are
// complete, the manifest last. The error is a bagset.LossError if selected messages can't be read;
// all others are exported then.
func Run(ctx context.Context, o Options) error {
	if (o.Dir == "") == (o.MCAP == "") {
		return ErrTarget
	}
	bags, filter, lost, err := o.Selection.Open([]string{o.Bag}, bagstore.OpenOptions{Context: ctx, Sequential: true, Verify: true, Progress: o.Progress}, o.Log)
	defer bagset.Close(bags)
	if err != nil {
		return err
	}
	var bad, moved int
	switch {
	case o.MCAP != "":
		bad, moved, err = exportMCAP(ctx, bags[0], filter.Query(), o)
	case place.IsAddress(o.Dir):
		err = place.WriteFolder(ctx, o.Dir, func(dir string) (err error) {
			o.Dir = dir
			bad, moved, err = exportFolder(ctx, bags[0], filter, o)
			return err
		})
	case o.Overwrite:
		if err = os.MkdirAll(o.Dir, 0o777); err == nil {
			bad, moved, err = exportFolder(ctx, bags[0], filter, o)
		}
	default:
		err = place.FillFolder(o.Dir, func() (err error) {
			bad, moved, err = exportFolder(ctx, bags[0], filter, o)
			return err
		})
	}
	if err != nil {
		return err
	}
	return bagset.Loss(bad, moved, append(lost, bagset.Found(bags)...))
}

// exportMCAP writes the messages unchanged into an MCAP file of the ros1 profile. It returns how
// many can't be read, and how many have bagstore.ClampedTimes.
func exportMCAP(ctx context.Context, bag *bagstore.Recording, q bagstore.Query, o Options) (bad, moved int, err error) {
	v := bag.View(q)
	walk := bagset.NewWalk(ctx, o.Log)
	walk.Progress, walk.Total = o.Progress, v.Count()
	if o.Compress != bagstore.None {
		o.Compress = bagstore.LZ4
	}
	err = place.Write(ctx, o.MCAP, o.Overwrite, func(f *os.File) error {
		w, err := mcap.NewWriter(f, mcap.ProfileROS1, o.Compress)
		if err != nil {
			return err
		}
		channels := make(map[*bagstore.Connection]uint16)
		for m, err := range walk.Messages(v) {
			id, ok := channels[m.Conn]
			if err == nil && !ok {
				id, err = w.AddTopic(bagstore.ROS1Topic(m.Conn))
				channels[m.Conn] = id
			}
			if err == nil {
				err = w.Write(id, m.Time, m.Data)
			}
			if err != nil {
				return err
			}
		}
		return w.Close()
	})
	return walk.Damaged, walk.Clamped, err
}
