package disk

import (
	"errors"
	"fmt"
	"os"

	"rsros/program/buffers"
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

// Choose returns the sink for a new file, whose Disk is d. Auto writes directly once the
// file has from bytes. staging may be nil.
func Choose(f *os.File, d Disk, kind Kind, from int64, staging *Staging) (*Sink, error) {
	switch kind {
	case Direct:
		grain, err := SetDirect(f)
		if err == nil {
			err = tryBlock(d, grain)
		}
		if err != nil {
			return nil, fmt.Errorf("write %s directly: %w", f.Name(), err)
		}
		return NewDirect(d, grain, staging), nil
	case Auto:
		grain, err := TryDirect(f)
		if err == nil {
			return NewGrowing(d, from, grain, staging, func(direct bool) error { return setMode(f, direct) }), nil
		}
		s := NewBuffered(d)
		s.kind = Auto
		s.refused.Store(&err)
		return s, nil
	}
	return NewBuffered(d), nil
}

// setMode makes writes bypass the page cache, or not.
func setMode(f *os.File, direct bool) error {
	if !direct {
		return SetBuffered(f)
	}
	_, err := SetDirect(f)
	return err
}

func tryBlock(d Disk, grain int) error {
	err := d.Writev([][]byte{buffers.Aligned(grain, grain)}, 0)
	return errors.Join(err, d.Truncate(0))
}

// Kind returns Direct if the file is written past the page cache, from the start or once
// it is large enough, otherwise Buffered.
func (s *Sink) Kind() Kind {
	switch {
	case s.kind != Auto:
		return s.kind
	case s.Fallback() != nil:
		return Buffered
	}
	return Direct
}

// Fallback returns the reason why Auto doesn't write directly, or nil.
func (s *Sink) Fallback() error {
	if err := s.refused.Load(); err != nil {
		return *err
	}
	return nil
}

// String describes how the file is written.
func (s *Sink) String() string {
	switch fallback := s.Fallback(); {
	case fallback != nil:
		return fmt.Sprintf("through the page cache: %v", fallback)
	case s.kind == Buffered:
		return "through the page cache"
	case s.kind == Auto && s.from >= 1<<20:
		return fmt.Sprintf("past the page cache from %d MiB on", s.from>>20)
	}
	return "past the page cache"
}
