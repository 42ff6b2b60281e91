package replay

import (
	"time"

	"rsros/bagstore"
)

// rateControl delays playback while a topic of the listening program lags: the
// header stamp that it last published is more than max behind bag time.
type rateControl struct {
	on   bool
	max  time.Duration
	last bagstore.Time
}

// lags tells whether to delay at bag time t.
func (r *rateControl) lags(t bagstore.Time) bool { return r.on && t.Sub(r.last) > r.max }
