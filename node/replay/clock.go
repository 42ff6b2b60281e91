package replay

import "time"

// Wall is an instant of a Clock: nanoseconds since 1970.
type Wall int64

// never is later than every instant.
const never = Wall(1<<63 - 1)

// Clock is where a player gets its time from.
type Clock interface {
	Now() Wall
	// Wait returns at t, or earlier if Wake was called since the last Wait. It
	// belongs to the player's goroutine.
	Wait(t Wall)
	// Wake ends a Wait. Any goroutine may call it.
	Wake()
}

// evenTime starts at the wall clock's time and then runs evenly, whatever
// happens to the wall clock.
type evenTime struct{ start time.Time }

func (e evenTime) Now() Wall { return Wall(e.start.UnixNano() + int64(time.Since(e.start))) }

// until is the time left, cut to what a timer can hold.
func (e evenTime) until(t Wall) time.Duration {
	const most = 24 * time.Hour
	if t > e.Now()+Wall(most) {
		return most
	}
	return time.Duration(t - e.Now())
}
