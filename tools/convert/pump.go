package convert

import (
	"errors"

	"rsros/bagstore"
)

// Limits of the batches between reading and writing.
const (
	batches     = 3
	batchBytes  = 2 << 20 // the message that exceeds it ends its batch
	batchItems  = 4096
	batchRetain = 32 << 20 // larger buffers aren't reused
	batchSpare  = 64 << 10 // for what a message may grow when it is converted
)

type batch struct {
	data []byte
	list []item
}

type item struct {
	topic int
	time  bagstore.Time
	end   int // of the message in data
}

func (b *batch) full() bool { return len(b.data) >= batchBytes || len(b.list) >= batchItems }

func (b *batch) add(topic int, t bagstore.Time, data []byte) {
	b.data = data
	b.list = append(b.list, item{topic, t, len(data)})
}

func (b *batch) reset() {
	b.data, b.list = b.data[:0], b.list[:0]
	if cap(b.data) > batchRetain {
		bagstore.Recycle(b.data)
		b.data = nil
	}
}

func (b *batch) write(out output) error {
	from := 0
	for _, m := range b.list {
		if err := out.write(m.topic, m.time, b.data[from:m.end:m.end]); err != nil {
			return err
		}
		from = m.end
	}
	return nil
}

// settle waits until all batches are free.
func settle(free chan *batch) {
	var all [batches]*batch
	for i := range all {
		all[i] = <-free
	}
	for _, b := range all {
		free <- b
	}
}

// pump calls fill in a goroutine until it returns false, and write for each batch. It returns when both are done.
func pump(fill func(*batch) (more bool, err error), write func(*batch) error) error {
	free, full := make(chan *batch, batches), make(chan *batch, batches)
	for range batches {
		free <- new(batch)
	}
	stop := make(chan struct{})
	var readErr error // set before full is closed
	go func() {
		defer close(full)
		for more := true; more; {
			select {
			case b := <-free:
				if more, readErr = fill(b); readErr != nil {
					return
				}
				giant := len(b.data) > batchRetain
				full <- b
				if giant { // several at once would be too much memory
					settle(free)
				}
			case <-stop:
				return
			}
		}
	}()
	var writeErr error
	for b := range full {
		if writeErr == nil {
			if writeErr = write(b); writeErr != nil {
				close(stop)
			}
		}
		b.reset()
		free <- b
	}
	return errors.Join(readErr, writeErr)
}
