package rosapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// clocks compares the clocks of machines that are called with this machine's, by the
// dates of their answers. Masters and the nodes of rospy and of this program send one,
// those of roscpp don't.
type clocks struct {
	next http.RoundTripper
	log  zerolog.Logger

	mu    sync.Mutex
	hosts map[string]*clock
}

// clock is what was last found out about a machine's clock.
type clock struct {
	differs bool
	said    time.Time
}

const (
	// mostDifference is how far a clock may certainly be off without a remark. A date has
	// whole seconds, so a difference below a second and a half may go unnoticed.
	mostDifference = 500 * time.Millisecond

	mostClocks = 256         // machines that are compared
	clockEvery = time.Minute // between two remarks about a machine, at least
)

// RoundTrip implements http.RoundTripper.
func (c *clocks) RoundTrip(request *http.Request) (*http.Response, error) {
	asked := time.Now()
	response, err := c.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		c.compare(request.URL.Hostname(), certain(date, asked, time.Now()))
	}
	return response, nil
}

// certain is by how much at least another clock is ahead of this one, or behind if it is
// negative. It read a time in the second from date on, between asked and answered of
// this clock. 0 means that they may be equal.
func certain(date, asked, answered time.Time) time.Duration {
	// The other clock's offset is between these two. Differences of two readings of this
	// clock aren't needed, only its time of day, so its monotonic part is taken off.
	least, most := date.Sub(answered.Round(0)), date.Add(time.Second).Sub(asked.Round(0))
	switch {
	case least > 0:
		return least
	case most < 0:
		return most
	}
	return 0
}

func (c *clocks) compare(host string, ahead time.Duration) {
	differs := ahead.Abs() > mostDifference
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.hosts[host]
	if k == nil {
		if len(c.hosts) >= mostClocks {
			return
		}
		k = &clock{}
		c.hosts[host] = k
	}
	if k.differs == differs || time.Since(k.said) < clockEvery {
		return
	}
	k.differs, k.said = differs, time.Now()
	if !differs {
		c.log.Info().Str("host", host).Msg("the clocks of that machine and of this one agree again")
		return
	}
	where := "ahead"
	if ahead < 0 {
		where = "behind"
	}
	c.log.Warn().Str("host", host).Str(where, "at least "+ahead.Abs().Round(time.Millisecond).String()).
		Msg("the clocks of that machine and of this one differ: stamps, tf and recordings won't fit together")
}
