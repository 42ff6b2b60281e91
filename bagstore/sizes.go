package bagstore

import (
	"cmp"
	"context"
	"sync"

	"rsros/bagstore/internal/record"
)

// headerReaders is the number of goroutines that read chunk headers, because a disk answers several
// requests in little more time than one.
const headerReaders = 16

// ChunkHeaders returns the chunk headers, in file order.
func (b *Bag) ChunkHeaders() ([]ChunkHeader, error) {
	var (
		readers sync.WaitGroup
		errs    [headerReaders]error
	)
	heads := make([]ChunkHeader, len(b.chunks))
	each := (len(b.chunks) + headerReaders - 1) / headerReaders
	for i := range errs {
		from := min(i*each, len(b.chunks))
		to := min(from+each, len(b.chunks))
		readers.Go(func() { errs[i] = b.readHeaders(heads[from:to], b.chunks[from:to]) })
	}
	readers.Wait()
	return heads, cmp.Or(errs[:]...)
}

// SomeHeaders is ChunkHeaders for a few chunks: at an address, each takes a request.
func (b *Bag) SomeHeaders() ([]ChunkHeader, error) {
	const most = 4
	var some []chunk
	for i := range min(most, len(b.chunks)) {
		some = append(some, b.chunks[i*(len(b.chunks)-1)/max(1, min(most, len(b.chunks))-1)])
	}
	heads := make([]ChunkHeader, len(some))
	return heads, b.readHeaders(heads, some)
}

// Remote reports whether the bag is a file at an address.
func (b *Bag) Remote() bool { return b.from != nil && b.file == nil }

func (b *Bag) readHeaders(heads []ChunkHeader, chunks []chunk) (err error) {
	l := newChunkReader(b)
	for i := range chunks {
		if heads[i], err = l.header(&chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// Sizes calls do for every message with the size of its data in bytes. In a bag it reads only
// record headers and compressed chunks, and Progress counts chunks. In another format it reads, and
// Progress counts, all messages.
func (b *Bag) Sizes(ctx context.Context, p Progress, do func(conn uint32, size int64)) error {
	if b.content != nil {
		return b.contentSizes(ctx, p, do)
	}
	l := newChunkReader(b)
	w := walker{bag: b, onMessage: func(_ record.Source, r *record.Record, e entry) error {
		do(e.conn, r.DataLen)
		return nil
	}}
	for i := range b.chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.Report(uint64(i), uint64(len(b.chunks)))
		if _, _, err := l.walkContent(&b.chunks[i], w); err != nil && !b.chunks[i].torn {
			return b.errorAt(b.chunks[i].Pos, "chunk", err)
		}
	}
	return nil
}

func (b *Bag) contentSizes(ctx context.Context, p Progress, do func(conn uint32, size int64)) error {
	v := b.View(Query{})
	pace := Pace{Ctx: ctx, Progress: p, Total: v.Count()}
	for m, err := range v.Messages() {
		if err == nil {
			do(m.Conn.ID, int64(len(m.Data)))
		}
		if err := pace.Step(); err != nil {
			return err
		}
	}
	return nil
}
