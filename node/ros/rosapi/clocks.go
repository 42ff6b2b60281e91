package rosapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// clocks compares the clocks of called machines with this machine's, by the Date header
// of their answers. Masters, rospy nodes and nodes of this program send one; roscpp
// nodes don't.
type clocks struct {
	next http.RoundTripper
	log  zerolog.Logger

	mu    sync.Mutex
	hosts map[string]*clock
}

// clock is the last result for a machine.
type clock struct {
	differs bool
	logged  time.Time
}

const (
	// mostDifference is the smallest certain difference that is logged. A date has whole
	// seconds, so a difference below a second and a half may go unnoticed.
	mostDifference = 500 * time.Millisecond

	mostClocks = 256         // machines that are compared
	clockEvery = time.Minute // minimum time between two log lines about a machine
)

func (c *clocks) RoundTrip(request *http.Request) (*http.Response, error) {
	asked := time.Now()
	response, err := c.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		c.compare(request.URL.Hostname(), minOffset(date, asked, time.Now()))
	}
	return response, nil
}

// minOffset returns the minimum by which another clock is ahead of this one, or behind if
// negative. The other clock was within the second that starts at date at some moment
// between asked and answered of this clock. 0 means that the clocks may be equal.
func minOffset(date, asked, answered time.Time) time.Duration {
	// The other clock's offset is between these two. Round strips the monotonic clock
	// reading: only the time of day counts.
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
	if k.differs == differs || time.Since(k.logged) < clockEvery {
		return
	}
	k.differs, k.logged = differs, time.Now()
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
