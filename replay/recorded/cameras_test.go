package recorded_test

import (
	"slices"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/replay"
	"rsros/replay/recorded"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// positions is a handler that keeps the positions of a camera's frames, in all and its own.
type positions struct {
	camdriver.NopHandler
	device   *recorded.Device
	all, own *[]time.Duration
	ended    chan struct{}
}

func (p positions) Frame(_ int, f *camdriver.Frame) {
	*p.all = append(*p.all, p.device.FileTime(f))
	*p.own = append(*p.own, p.device.FileTime(f))
}

func (p positions) StatusChanged(s camdriver.Status) {
	if s.Kind == camdriver.StatusEnded {
		p.ended <- struct{}{}
	}
}

// TestCameras plays two cameras of a recording, of which one began later: together in the order of time, and one alone after
// the other was stopped.
func TestCameras(t *testing.T) {
	path := samplebag.Cameras(t, "front/depth.raw@3", "robot1/wrist/depth.raw")
	for _, alone := range []bool{false, true} {
		d, err := recorded.Open(path, recorded.Options{Paused: true, All: true})
		need.Must(t, err)
		var all []time.Duration
		own, ended := make([][]time.Duration, 2), make(chan struct{}, 2)
		for i, c := range d.Cameras() {
			s := c.Sensors()[0]
			need.Must(t, s.Start(s.Profiles(), positions{device: c, all: &all, own: &own[i], ended: ended}))
		}
		if alone {
			need.Must(t, d.Cameras()[0].Sensors()[0].Stop())
		}
		need.Must(t, d.Do(t.Context(), replay.Resume{}))
		<-ended
		need.Must(t, d.Close())
		front := samplebag.CameraFrames - 3
		if alone {
			front = 0
		}
		if len(own) != 2 || len(own[0]) != front || len(own[1]) != samplebag.CameraFrames || !slices.IsSorted(all) {
			t.Errorf("alone %v: positions %v, of the cameras %v", alone, all, own)
		}
	}
}
