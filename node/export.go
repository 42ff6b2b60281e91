package node

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// ExportOptions are the settings of Export.
type ExportOptions struct {
	Bag       string
	Selection Selection
	Dir       string               // folder for pictures and tables; new or empty
	Points    bool                 // with Dir: point clouds, too
	MCAP      string               // file to write
	Compress  bagstore.Compression // of the MCAP file; lz4 or none
	Overwrite bool
	Progress  bagstore.Progress
	Log       zerolog.Logger
}

// Export writes what a bag holds in the formats of other programs: an MCAP file,
// or a folder of pictures, tables and point clouds with a manifest of all files
// (docs/commands.md). Every message of the selection comes out, or the error
// says that it didn't.
//
// Files appear under their names when they are whole; the manifest comes last.
func Export(ctx context.Context, o ExportOptions) error {
	if (o.Dir == "") == (o.MCAP == "") {
		return fmt.Errorf("%w: export into a folder or into an MCAP file", ErrUsage)
	}
	bags, lost, err := openForReading([]string{o.Bag}, o.Log)
	defer closeBags(bags)
	if err != nil {
		return err
	}
	filter, err := o.Selection.filter(bags)
	if err != nil {
		return err
	}
	if o.MCAP != "" {
		err = exportMCAP(ctx, bags[0], filter.Query(), o)
	} else {
		err = exportFolder(ctx, bags[0], filter, o)
	}
	if err == nil && lost {
		err = fmt.Errorf("%w: the bag is damaged", ErrIncomplete)
	}
	return err
}

// writeWhole writes a file that appears under its name when it is whole.
func writeWhole(path string, overwrite bool, write func(*os.File) error) error {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	partial := path + ".partial"
	f, err := os.Create(partial)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(partial, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(partial))
	}
	return nil
}

// eachMessage calls f with the messages of a view in time order. Those that can't
// be read are logged, counted and passed over.
func eachMessage(p *pace, v *bagstore.View, log zerolog.Logger, f func(bagstore.Message) error) (bad int, err error) {
	it := v.Iterator()
	defer it.Close()
	for {
		switch {
		case it.Next():
			if err := f(it.Message()); err != nil {
				return bad, err
			}
		case it.Err() == nil:
			return bad, nil
		default:
			if bad++; bad <= maxDamageLines {
				log.Warn().Err(it.Err()).Msg("a message is passed over")
			}
		}
		if err := p.step(); err != nil {
			return bad, err
		}
	}
}

// maxDamageLines bounds what is logged of a bag that is damaged all over.
const maxDamageLines = 20

// damaged is the error of work that had to pass over some messages.
func damaged(bad int) error {
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d messages are damaged", ErrIncomplete, bad)
}

// pace tells progress now and then, and notices the end of the context.
type pace struct {
	ctx         context.Context
	progress    bagstore.Progress
	done, total uint64
}

func (p *pace) step() error {
	p.done++
	if p.done%64 == 0 && p.progress != nil {
		p.progress(p.done, p.total)
	}
	return p.ctx.Err()
}
