package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"rsros/bagstore/place"
)

// Make describes recordings, several at a time. The rows have the order of the names. The error is that of ctx.
func Make(ctx context.Context, names []string, jobs int, o Options) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		rows := make(chan chan Row, max(1, jobs)) // of the names that have begun
		for begun, i := 0, 0; i < len(names); i++ {
			for ; begun < len(names) && len(rows) < cap(rows); begun++ {
				name, row := names[begun], make(chan Row, 1)
				all.Go(func() { row <- Describe(ctx, name, o) })
				rows <- row
			}
			if r := <-<-rows; ctx.Err() != nil || !yield(r, nil) {
				break
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Row{}, err)
		}
	}
}

const extension = ".jsonl"

// Is reports whether a file has the name of a catalog.
func Is(name string) bool { return strings.EqualFold(filepath.Ext(name), extension) }

// Write writes a catalog.
func Write(ctx context.Context, name string, overwrite bool, rows iter.Seq2[Row, error]) error {
	if !Is(name) && name != os.DevNull {
		return fmt.Errorf("%s: a catalog is JSON lines, its name ends in %s", name, extension)
	}
	return place.Write(ctx, name, overwrite, func(f *os.File) error { return WriteLines(f, rows) })
}

// Read calls do for each row of a catalog.
func Read(ctx context.Context, name string, do func(Row) error) error {
	f, err := place.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	err = readLines(io.NewSectionReader(f, 0, f.Info().Size), func(r Row) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return do(r)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// maxInMemory bounds the rows of ReadAll and the names of Merge, in bytes.
const maxInMemory = 128 << 20

// ReadAll returns the rows of a catalog.
func ReadAll(ctx context.Context, name string) (rows []Row, err error) {
	bytes := 0
	err = Read(ctx, name, func(r Row) error {
		if bytes += r.bytes(); bytes > maxInMemory {
			return fmt.Errorf("the rows are larger than %d MB; a catalog without thumbnails is smaller", maxInMemory>>20)
		}
		rows = append(rows, r)
		return nil
	})
	return rows, err
}

// bytes estimates a row's size in memory.
func (r *Row) bytes() int {
	n := 500 + len(r.Name) + len(r.Thumbnail) + len(r.Error)
	for _, note := range r.Notes {
		n += 16 + len(note)
	}
	for _, t := range r.Topics {
		n += 40 + len(t.Name) + len(t.Type)
	}
	return n
}

// Merge writes the newest row of each name, in the order of the catalogs; the last of those that were made at one time.
// A catalog may also be a folder or an address that ends with a slash, with all catalogs below it.
func Merge(ctx context.Context, inputs []string, out string, overwrite bool) error {
	names, err := catalogs(ctx, inputs)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("there is no catalog")
	}
	type place struct {
		made int64
		n    int // of all rows
	}
	newest := make(map[string]place)
	bytes, n := 0, 0
	for _, name := range names {
		err := Read(ctx, name, func(r Row) error {
			n++
			if bytes += len(r.Name); bytes > maxInMemory {
				return fmt.Errorf("the names of all recordings are larger than %d MB", maxInMemory>>20)
			}
			if old, ok := newest[r.Name]; !ok || r.Made >= old.made {
				newest[r.Name] = place{r.Made, n}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return Write(ctx, out, overwrite, func(yield func(Row, error) bool) {
		n := 0
		for _, name := range names {
			err := Read(ctx, name, func(r Row) error {
				n++
				if newest[r.Name].n == n && !yield(r, nil) {
					return errStop
				}
				return nil
			})
			if errors.Is(err, errStop) || err != nil && !yield(Row{}, err) {
				return
			}
		}
	})
}

var errStop = errors.New("no more rows are wanted")
