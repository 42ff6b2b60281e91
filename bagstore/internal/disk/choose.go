package disk

import (
	"errors"
	"fmt"
	"os"
)

// Kind selects how a file is written.
type Kind int

// The kinds; see bagstore.SinkKind.
const (
	Auto Kind = iota
	Buffered
	Direct
)

func (k Kind) String() string { return [...]string{"auto", "buffered", "direct"}[k] }

// Method describes how a file is written. Its methods may be called from any goroutine.
type Method struct {
	kind    Kind
	growing *Growing // if Auto can write directly
	from    int64
	refusal error // why Auto can't write directly
}

// Choose returns the sink for a new file, whose Disk is d. Auto writes directly once the
// file has from bytes. staging may be nil.
func Choose(f *os.File, d Disk, kind Kind, from int64, staging *Staging) (Sink, *Method, error) {
	w := &Method{kind: kind, from: from}
	if kind == Direct {
		grain, err := SetDirect(f)
		if err == nil {
			err = tryBlock(d, grain)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("write %s directly: %w", f.Name(), err)
		}
		return newDirect(d, grain, 0, staging), w, nil
	}
	if kind == Auto {
		var grain int
		if grain, w.refusal = TryDirect(f); w.refusal == nil {
			w.growing = NewGrowing(d, from, grain, 0, func(direct bool) error {
				if !direct {
					return SetBuffered(f)
				}
				_, err := SetDirect(f)
				return err
			})
			w.growing.staging = staging
			return w.growing, w, nil
		}
	}
	return NewBuffered(d), w, nil
}

func tryBlock(d Disk, grain int) error {
	err := d.Writev([][]byte{AlignedBytes(grain, grain)}, 0)
	return errors.Join(err, d.Truncate(0))
}

// Kind returns Direct if the file is written past the page cache, from the start or once
// it is large enough, otherwise Buffered.
func (w *Method) Kind() Kind {
	switch {
	case w.kind != Auto:
		return w.kind
	case w.Fallback() != nil:
		return Buffered
	}
	return Direct
}

// Fallback returns the reason why Auto doesn't write directly, or nil.
func (w *Method) Fallback() error {
	if w.growing != nil {
		return w.growing.Refused()
	}
	return w.refusal
}

func (w *Method) String() string {
	switch fallback := w.Fallback(); {
	case fallback != nil:
		return fmt.Sprintf("through the page cache: %v", fallback)
	case w.kind == Buffered:
		return "through the page cache"
	case w.kind == Auto && w.from > 0:
		return fmt.Sprintf("past the page cache from %d MiB on", w.from>>20)
	}
	return "past the page cache"
}
