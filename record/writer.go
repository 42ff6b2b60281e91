package record

import (
	"errors"
	"fmt"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/tools/info"
)

// write writes until the queue is closed and empty. An error ends the recording: the file is
// closed properly, and queued frames and messages count as dropped.
func (r *Recording) write() {
	defer close(r.done)
	var failed error
	for {
		it, ok := r.queue.Pop()
		if !ok {
			break
		}
		if failed == nil {
			if failed = r.writeItem(&it); failed != nil {
				r.fail(failed)
			}
		}
		if failed != nil {
			r.drop(it)
		} else {
			it.release()
		}
	}
	if failed == nil {
		failed = r.writeEvents(item{at: r.rosTime()})
	}
	if failed == nil {
		failed = r.writeDrops(r.rosTime())
	}
	if failed != nil {
		r.files.leaveRing()
		r.err = fmt.Errorf("recording stopped: %w", failed)
	}
	if err := r.files.end(); failed == nil || !errors.Is(err, failed) {
		r.err = errors.Join(r.err, err)
	}
}

// fail ends the recording after an error.
func (r *Recording) fail(err error) {
	r.broken.Store(true)
	if line := r.log.Error().Err(err); len(r.taps) > 0 {
		line.Str("bag", r.files.cur.path).Msg("recording stopped; the streams continue")
	} else {
		line.Msg("recording stopped")
	}
	r.detach()
	r.queue.Close()
	r.enough()
}

func (r *Recording) writeItem(it *item) error {
	if r.space.check(r.files.cur.path, it.size(), time.Now()) {
		r.space.log(r.log)
	}
	low := r.space.low.Load()
	switch {
	case it.flow != nil && low:
		it.lose(noSpace)
		return nil
	case it.flow != nil:
		err := r.again(func() error { return r.files.write(it) })
		switch {
		case errors.Is(err, errOver):
			it.lose(late)
			return nil
		case errors.Is(err, camdriver.ErrUnsupported):
			it.lose(unfit)
			return nil
		}
		return err
	}
	if err := r.writeEvents(*it); err != nil || it.event != nil {
		return err
	}
	return r.again(func() error {
		if err := r.files.tick(it); err != nil {
			return err
		}
		if !low {
			if err := r.writeDrops(it.at); err != nil {
				return err
			}
		}
		return r.files.cur.CheckpointIfDue()
	})
}

// writeEvents writes the events that the queue dropped, and that of an item if it has one.
func (r *Recording) writeEvents(it item) error {
	r.mu.Lock()
	events := r.rescued
	r.rescued = nil
	r.mu.Unlock()
	r.files.itemTime = it.at
	for _, it := range append(events, it) {
		if it.event == nil {
			continue
		}
		// Events that the layout can't represent are left out.
		err := r.again(func() error { return it.event(r.files) })
		if err != nil && !errors.Is(err, camdriver.ErrUnsupported) {
			return err
		}
	}
	return nil
}

// again calls write, and calls it again for a new file if the current one is gone.
func (r *Recording) again(write func() error) error {
	err := write()
	if err == nil || !r.files.lost(err) {
		return err
	}
	if err := r.files.next(); err != nil {
		return err
	}
	return write()
}

// writeDrops writes into the recording, at a time, which messages were dropped since the last call.
func (r *Recording) writeDrops(at bagstore.Time) error {
	for _, t := range r.subscribed() {
		s := t.pending(t.name, r.node.Name())
		if s.DroppedMsgs == 0 {
			continue
		}
		if err := r.files.note(info.DropsTopic, info.DropsType, r.node.Name(), at, &s); err != nil {
			return err
		}
		t.wrote(s)
	}
	return nil
}
