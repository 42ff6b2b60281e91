package d400

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rsros/camdriver"
)

// watchdog ends the reads of a stream if no frame is complete in time. It runs during transfers, not while a frame is
// handled.
type watchdog struct {
	timer    *time.Timer
	patience time.Duration
	waited   time.Duration // since the last frame
	since    time.Time     // start of the transfer
}

// wait starts the watchdog before a transfer.
func (w *watchdog) wait() {
	w.since = time.Now()
	w.timer.Reset(w.patience - w.waited)
}

// arrived stops it after the transfer, and returns the time.
func (w *watchdog) arrived() time.Time {
	w.timer.Stop()
	now := time.Now()
	w.waited += now.Sub(w.since)
	return now
}

// watch calls transfer, which reports whether a frame is complete, until it fails or no frame comes in time; then it
// notifies the handler. pause is the largest time between frames.
func (s *sensor) watch(
	ctx context.Context, stream string, h camdriver.Handler, seen bool, pause time.Duration,
	transfer func(context.Context, *watchdog) (bool, error),
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := watchdog{patience: firstFrame}
	if seen {
		w.patience = pause
	}
	w.timer = time.AfterFunc(w.patience, func() { cancel(errSilent) })
	defer w.timer.Stop()
	for ctx.Err() == nil { // a transfer may be complete even if ctx is done
		complete, err := transfer(ctx, &w)
		if err != nil && ctx.Err() == nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if complete {
			w.patience, w.waited = pause, 0
		}
	}
	cause := context.Cause(ctx)
	if cause == errSilent {
		s.notify(h, camdriver.NotifyFramesTimeout, fmt.Sprintf("%s: no frame for %v", stream, w.patience))
	}
	return cause
}

// notify warns the handler.
func (s *sensor) notify(h camdriver.Handler, c camdriver.Category, text string) {
	h.Notification(s.number, camdriver.Notification{
		Time: time.Now(), Category: c, Severity: camdriver.SeverityWarn, Description: text,
	})
}

// readLoop calls read until ctx is done or the camera is gone. After an error, it restarts the stream with again, later
// each time that no frame comes in between: a stream may fail without the others.
func (s *sensor) readLoop(
	ctx context.Context, l *link, stream string, h camdriver.Handler, t *tally,
	read func() error, again func(failures int) error,
) {
	for failures := 0; ; {
		frames := t.frames
		err := read()
		if t.frames > frames {
			failures = 0
		}
		for err != nil {
			if ctx.Err() != nil {
				return
			}
			if errors.Is(err, camdriver.ErrUnplugged) {
				l.lost(err)
				return
			}
			failures++
			s.dev.log.Warn().Err(err).Str("stream", stream).Int("failures", failures).Msg("restarting the stream")
			if failures == manyRestarts {
				text := fmt.Sprintf("%s: %v; restarted %d times without a frame", stream, err, failures-1)
				s.notify(h, camdriver.NotifyHardwareError, text)
			}
			wait(ctx, min(time.Duration(failures-1)*restartPause, longestPause))
			if ctx.Err() == nil {
				err = again(failures)
			}
		}
	}
}
