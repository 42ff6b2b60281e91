package recorded

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/replay"
)

// group is the devices of one player: the cameras of a recording.
type group struct {
	devices []*Device
	opened  time.Time // Frame.Arrival at position 0 in the first round
	player  *replay.Player
	cancel  context.CancelFunc // ends the player
	clock   func() error       // closes its clock
	frames  atomic.Uint64      // raised so far
	closing sync.Once
	closed  error

	// The player's goroutine owns these.
	any    bool          // something was raised in this round of a loop
	looped time.Duration // duration of all previous rounds
	status replay.Status
}

// add adds the devices of a recording's files.
func (g *group) add(files []*rsbag.File) {
	delays := rsbag.Delays(files)
	for i, f := range files {
		d := &Device{group: g, file: f, offset: delays[i], snap: f.Snapshot()}
		prefix := ""
		if i > 0 {
			prefix = "/" + strconv.Itoa(i)
		}
		d.conns = newConnections(d.snap, prefix)
		d.raised.forget()
		for i, s := range d.snap.Sensors {
			d.sensors = append(d.sensors, newSensor(d, i, s))
			d.options = append(d.options, f.OptionsAt(i, 0))
		}
		d.wanted.Store(new(map[camdriver.StreamID]bool))
		g.devices = append(g.devices, d)
	}
}

// Cameras returns all devices of the recording that were opened, which share a player: a command to one is for all. The
// first is the one that Open returned.
func (g *group) Cameras() []*Device { return g.devices }

// Duration returns the position of the last frame. Positions start at 0; those of a single camera are file times.
func (g *group) Duration() (last time.Duration) {
	for _, d := range g.devices {
		last = max(last, d.offset+d.file.Duration())
	}
	return last
}

// Close stops all sensors of all Cameras and closes the file. Retained frames stay valid.
func (g *group) Close() error {
	g.closing.Do(func() {
		for _, d := range g.devices {
			_ = d.choose(func() error {
				for _, s := range d.sensors {
					s.handler, s.profiles = nil, nil
				}
				return nil
			})
		}
		g.cancel()
		<-g.player.Done()
		g.closed = g.closeFiles()
	})
	return g.closed
}

// closeFiles closes the files, the first of which has opened the recording, and the clock.
func (g *group) closeFiles() (err error) {
	for _, d := range slices.Backward(g.devices) {
		err = errors.Join(err, d.file.Close())
	}
	return errors.Join(err, g.clock())
}

// bagTime returns the player's time of a position. Arrival times are on the same time line.
func (g *group) bagTime(at time.Duration) bagstore.Time { return bagstore.TimeOf(g.opened.Add(at)) }

// position is the inverse of bagTime.
func (g *group) position(t bagstore.Time) time.Duration { return t.Sub(bagstore.TimeOf(g.opened)) }
