package replay

import (
	"context"
	"testing"
	"time"

	"rsros/msgs"
)

// recaller is a sink that records what is recalled.
type recaller struct{ *journalSink }

func (s recaller) Recall(m msgs.Raw) {
	s.j.add("recalled")
	_ = s.Publish(context.Background(), m)
}

// recallOutput uses recallers as sinks.
type recallOutput struct{ *journal }

func (o recallOutput) Advertise(c Channel) (Sink, error) {
	s, err := o.journal.Advertise(c)
	if err != nil {
		return nil, err
	}
	return recaller{s.(*journalSink)}, nil
}

// TestRecall checks that a topic's last message, including one exactly at the time of a seek, is
// published again, only to sinks that support it and only on request.
func TestRecall(t *testing.T) {
	r := newRig(t, Settings{Paused: true}, write(t, entry{0, "/a", "a0"}, entry{0, "/b", "b0"}, entry{20 * ms, "/a", "a1"}, entry{40 * ms, "/a", "a2"}))
	r.o.Output = recallOutput{r.journal}
	for i, c := range []Command{
		SeekOffset{20 * ms}, Recall{[]string{"/a"}}, Recall{[]string{"/b", "/c"}}, SeekOffset{19 * ms}, Recall{[]string{"/a"}}, Stop{},
	} {
		r.at(time.Duration(i+1)*ms, c)
	}
	expect(t, r.run(t), `
		+2ms recalled
		+2ms /a a1
		+3ms recalled
		+3ms /b b0
		+5ms recalled
		+5ms /a a0`)
}

// TestClearRange checks that clearing a looped range loops over the whole bag again, and that the
// status reports the range.
func TestClearRange(t *testing.T) {
	r := newRig(t, Settings{LoopRange: &Range{10 * ms, 20 * ms}}, counting(t, 4))
	var ranges []*Range
	r.reports.onStatus = func(s Status) { ranges = append(ranges, s.Range) }
	r.at(15*ms, ClearRange{})
	r.at(45*ms, Stop{})
	expect(t, r.run(t), `
		+0s /a 1
		+10ms /a 2
		+10ms /a 1
		+20ms /a 2
		+30ms /a 3
		+30ms /a 0
		+40ms /a 1`)
	if first := ranges[1]; first == nil || *first != (Range{10 * ms, 20 * ms}) || ranges[len(ranges)-1] != nil {
		t.Errorf("ranges %v", ranges)
	}
}
