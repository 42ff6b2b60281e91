package replay

import (
	"testing"

	"rsros/test/samplebag"
)

// TestDamagedEnds checks that a recording whose first or last chunk can't be read plays from its start to its end: seeks,
// loops and the clock refer to these.
func TestDamagedEnds(t *testing.T) {
	for _, c := range []struct {
		name        string
		lost        int
		settings    Settings
		seek        bool
		n           int
		first, last string
	}{
		{"first", 0, Settings{}, false, 29, "+10ms /a 1", "+290ms /a 29"},
		{"last", -1, Settings{}, false, 29, "+0s /a 0", "+280ms /a 28"},
		{"first, later", 0, Settings{Start: moment("0.1")}, false, 20, "+0s /a 10", "+190ms /a 29"},
		{"last, sought", -1, Settings{}, true, 19, "+0s /a 0", "+180ms /a 28"},
		{"last, looped", -1, Settings{Loop: true}, false, 61, "+0s /a 0", "+600ms /a 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := counting(t, 30).Path()
			samplebag.LoseChunk(t, path, c.lost)
			r := newRig(t, c.settings, samplebag.Open(t, path))
			if _, end := r.Range(); end != bag0.Add(290*ms) {
				t.Errorf("it ends at %d, want %d", end, bag0.Add(290*ms))
			}
			if c.seek {
				r.at(45*ms, SeekBy{100 * ms})
			}
			r.at(605*ms, Stop{})
			lines := r.run(t)
			if lines[0] != c.first || lines[len(lines)-1] != c.last || len(lines) != c.n {
				t.Errorf("%d messages from %q to %q; %q", len(lines), lines[0], lines[len(lines)-1], r.Problems())
			}
		})
	}
}
