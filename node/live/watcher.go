package live

import (
	"fmt"

	"github.com/rs/zerolog"

	"rsros/camdriver"
)

// watcher waits for a device's end: the end of a file, or a failure that the
// driver can't mend. An unplugged camera may come back, so that isn't one.
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
	default: // the end was said already
	}
}

// eventLog writes what a device reports into the log.
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
