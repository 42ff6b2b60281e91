package sim

import (
	"context"
	"time"

	"rsros/camdriver"
)

// grid is the schedule of a stream: frame k is due at start + k/fps. Times are computed
// from k, so errors don't accumulate.
type grid struct {
	start time.Time
	fps   int64
}

// phases are the offsets of streams' grids. Depth and infrared, at 0, share exposures; other
// sensors are not synchronized.
var phases = map[camdriver.StreamKind]time.Duration{
	camdriver.Color: 4300 * time.Microsecond, camdriver.Gyro: 1100 * time.Microsecond,
	camdriver.Accel: 1700 * time.Microsecond, camdriver.Pose: 900 * time.Microsecond,
}

func newGrid(opened time.Time, p camdriver.Profile) grid {
	return grid{opened.Add(phases[p.Stream.Kind]), int64(p.FPS)}
}

func (g grid) time(k int64) time.Time {
	return g.start.Add(time.Duration(k/g.fps)*time.Second + time.Duration(k%g.fps*int64(time.Second)/g.fps))
}

// index returns the last frame due at t, or -1.
func (g grid) index(t time.Time) int64 {
	d := t.Sub(g.start)
	if d < 0 {
		return -1
	}
	k := int64(d/time.Second)*g.fps + int64(d%time.Second)*g.fps/int64(time.Second)
	if !g.time(k + 1).After(t) {
		k++ // because time rounds down
	}
	return k
}

// stream raises the frames of a profile.
type stream struct {
	s          *sensor
	profile    camdriver.Profile
	grid       grid
	loop       *loop // nil unless video
	loopFrames int64
}

// raise sends frames to h, starting after now, until ctx is done.
func (st *stream) raise(ctx context.Context, now time.Time, h camdriver.Handler) {
	clock := st.s.dev.opt.Clock
	first := st.grid.index(now) + 1
	for k := first; ; k++ {
		if clock.SleepUntil(ctx, st.grid.time(k)) != nil {
			return
		}
		now := clock.Now()
		if now.Sub(st.grid.time(k)) > lateness {
			newest := st.grid.index(now)
			st.s.drops.Add(newest - k)
			k = newest
		}
		f := st.frame(k, uint64(k-first+1), now)
		if f == nil {
			st.s.drops.Add(1)
			continue
		}
		if ctx.Err() == nil {
			h.Frame(st.s.number, f)
		}
		f.Release()
	}
}
