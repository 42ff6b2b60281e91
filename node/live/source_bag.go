package live

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/program"
)

func openBag(o SourceOptions) (camdriver.Device, error) {
	if _, err := os.Stat(o.Device); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: looked for a file %s (not one of the words sim and usb)", program.ErrNoDevice, o.Device)
	}
	// Paused, so that no frames are played before all sensors are started.
	dev, err := playback.Open(o.Device, playback.Options{Clock: o.Clock, RealTime: true, Speed: cmp.Or(o.Speed, 1), Loop: o.Loop, Paused: true})
	if err != nil {
		return nil, err
	}
	for _, note := range dev.File().Notes() {
		o.Log.Warn().Str("bag", o.Device).Msg(note)
	}
	return dev, nil
}

// damageOf returns what could not be played of a recording, as a
// program.ErrIncomplete.
func damageOf(dev *playback.Device) error {
	for _, note := range dev.File().Bag().Notes() {
		if note.Severity == bagstore.Loss {
			return fmt.Errorf("%w: at byte %d: %s", program.ErrIncomplete, note.Offset, note.Text)
		}
	}
	if s := dev.Status(); s.Damaged > 0 {
		return fmt.Errorf("%w: the recording is damaged: %w", program.ErrIncomplete, s.Damage)
	}
	return nil
}
