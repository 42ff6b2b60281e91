package live

import (
	"fmt"
	"sync"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/playback"
)

// watcher waits for the end of a file or a failure. An unplugged camera hasn't ended.
type watcher struct {
	camdriver.NopHandler
	camera *camera
	ended  chan<- ending // has room for an ending of each camera
	once   sync.Once
}

type ending struct {
	camera *camera
	err    error // nil at the end of a file
}

func (w *watcher) StatusChanged(s camdriver.Status) {
	switch s.Kind {
	case camdriver.StatusEnded:
		w.end(nil)
	case camdriver.StatusFailed:
		w.end(fmt.Errorf("the device failed: %w", s.Err))
	}
}

func (w *watcher) end(err error) {
	w.once.Do(func() { w.ended <- ending{w.camera, err} })
}

// result returns the node's error for the ending. It must not be called by a Handler.
func (e ending) result() error {
	if e.err != nil && e.camera.several {
		return fmt.Errorf("camera %s: %w", e.camera.opts.Camera, e.err)
	}
	if bag, ok := e.camera.device.(*playback.Device); ok && e.err == nil {
		return damageOf(bag)
	}
	return e.err
}

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
