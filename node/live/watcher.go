package live

import (
	"fmt"

	"github.com/rs/zerolog"

	"rsros/camdriver"
)

// watcher waits for the end of a device: the end of a file, or a failure that the
// driver can't recover from. Unplugging a camera isn't one, because it may be
// plugged in again.
type watcher struct {
	camdriver.NopHandler
	ended chan error
}

func newWatcher() *watcher { return &watcher{ended: make(chan error, 1)} }

// StatusChanged implements camdriver.Handler.
func (w *watcher) StatusChanged(s camdriver.Status) {
	var err error
	switch s.Kind {
	case camdriver.StatusEnded:
	case camdriver.StatusFailed:
		err = fmt.Errorf("the device failed: %w", s.Err)
	default:
		return
	}
	select {
	case w.ended <- err:
	default: // already reported
	}
}

// eventLog logs a device's events.
type eventLog struct {
	camdriver.NopHandler
	log zerolog.Logger
}

func (e *eventLog) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	e.log.Debug().Int("sensor", sensor).Stringer("option", id).Float32("value", value).Msg("option changed")
}

func (e *eventLog) Notification(sensor int, n camdriver.Notification) {
	level := zerolog.InfoLevel
	switch n.Severity {
	case camdriver.SeverityWarn:
		level = zerolog.WarnLevel
	case camdriver.SeverityError, camdriver.SeverityFatal:
		level = zerolog.ErrorLevel
	}
	e.log.WithLevel(level).Int("sensor", sensor).Stringer("category", n.Category).Msg(n.Description)
}

func (e *eventLog) StatusChanged(s camdriver.Status) {
	if s.Err != nil {
		e.log.Warn().Err(s.Err).Msg("device " + s.Kind.String())
		return
	}
	e.log.Info().Msg("device " + s.Kind.String())
}
