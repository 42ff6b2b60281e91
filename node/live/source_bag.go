package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/program"
)

func openBag(o SourceOptions) (camdriver.Device, error) {
	if _, err := os.Stat(o.Device); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: looked for a file %s (not one of the words sim and usb)", program.ErrNoDevice, o.Device)
	}
	speed := o.Speed
	if speed == 0 {
		speed = 1
	}
	// Paused, so that no sensor's first frames pass before it is started.
	dev, err := playback.Open(o.Device, playback.Options{Clock: o.Clock, RealTime: true, Speed: speed, Loop: o.Loop, Paused: true})
	if err != nil {
		return nil, err
	}
	for _, note := range dev.File().Notes() {
		o.Log.Warn().Str("bag", o.Device).Msg(note)
	}
	return dev, nil
}
