package replay

import (
	"time"

	"rsros/bagstore"
)

// rateControl delays playback while a topic lags: the header stamp of its last
// message is more than max before bag time.
type rateControl struct {
	on   bool
	max  time.Duration
	last bagstore.Time
}

// lags reports whether to delay playback at bag time t.
func (r *rateControl) lags(t bagstore.Time) bool { return r.on && t.Sub(r.last) > r.max }
