package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestHeldUp: a subscriber that takes no messages holds an immediate replay up, but not its commands, and loses nothing.
func TestHeldUp(t *testing.T) {
	list := []raw{{statics, "/static", "std_msgs/String", text("static")}, {bag0, "/latched", "std_msgs/String", text("latched")}}
	for i := range 4 {
		list = append(list, raw{bag0.Add(time.Duration(i+1) * ms), "/a", "std_msgs/String", text(fmt.Sprint(i))})
	}
	bag := writeRaw(t, list...)
	for name, c := range map[string]struct {
		topic  string
		o      Settings
		during []Command // each is executed while the subscriber takes nothing
		errs   []error
		want   string // on /a
	}{
		"paused":                   {"/a", Settings{}, []Command{Pause{}, SetRate{2}, Resume{}}, []error{nil, nil, nil}, "0 1 2 3"},
		"stepped":                  {"/a", Settings{}, []Command{Pause{}, StepMessage{}, StepFrameSet{}, Resume{}}, []error{nil, ErrHeldUp, ErrHeldUp, nil}, "0 1 2 3"},
		"sought":                   {"/a", Settings{}, []Command{SeekTo{bag0.Add(3 * ms)}}, []error{nil}, "2 3"},
		"stopped":                  {"/a", Settings{}, []Command{Stop{}}, []error{nil}, ""},
		"by a latched message":     {"/latched", Settings{Start: moment("0.001")}, []Command{Pause{}, Resume{}}, []error{nil, nil}, "0 1 2 3"},
		"by a latched one, sought": {"/latched", Settings{Start: moment("0.001")}, []Command{SeekTo{bag0.Add(3 * ms)}}, []error{nil}, "2 3"},
		"by a static message":      {"/static", Settings{}, []Command{Pause{}, SetRate{2}, SeekTo{bag0}, Resume{}}, []error{nil, nil, ErrWaiting, nil}, "0 1 2 3"},
		"by a static one, stopped": {"/static", Settings{}, []Command{Stop{}}, []error{nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			clock, err := NewSystem()
			need.Must(t, err)
			defer clock.Close() //nolint:errcheck // at the end
			held, taken := make(chan struct{}, 1000), make(chan struct{})
			j := &journal{clock: clock}
			j.room = func(ctx context.Context, topic string) error {
				if topic != c.topic {
					return nil
				}
				select {
				case <-taken:
					return nil
				default:
				}
				held <- struct{}{}
				select {
				case <-taken:
					return nil
				case <-ctx.Done():
					return fmt.Errorf("subscriber /mute of %s: %w", topic, context.Cause(ctx))
				}
			}
			c.o.Immediate = true
			p, err := New(Options{Source: Bags([]*bagstore.Recording{bag}), Output: j, Clock: clock, Settings: c.o})
			need.Must(t, err)
			ended := make(chan error)
			go func() { ended <- p.Run(t.Context()) }()
			<-held
			for !strings.HasPrefix(p.Status().HeldUp, "subscriber /mute of "+c.topic) {
				<-held
			}
			for i, command := range c.during {
				if err := p.Do(t.Context(), command); !errors.Is(err, c.errs[i]) {
					t.Errorf("%T: %v, want %v", command, err, c.errs[i])
				}
			}
			close(taken)
			need.Must(t, <-ended)
			lines := slices.DeleteFunc(j.lines, func(line string) bool { return !strings.Contains(line, " /a ") })
			for i := range lines {
				lines[i] = lines[i][strings.LastIndex(lines[i], " ")+1:]
			}
			if got := strings.Join(lines, " "); got != c.want {
				t.Errorf("published %q, want %q", got, c.want)
			}
			if s := p.Status(); s.HeldUp != "" && c.want != "" {
				t.Errorf("held up by %s at the end", s.HeldUp)
			}
		})
	}
}
