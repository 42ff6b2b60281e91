package viewer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/replay"
	"rsros/tools/info"
	"rsros/viewer/api"
)

// played is the stage of a player: the topics of the recordings that it plays.
type played struct {
	base
	*topics
	controls
	close func() error // closes the files that the stage has opened
}

// newPlayed returns the stage of a player that isn't running yet and has the output out.
func newPlayed(s *Server, out *Output, player *replay.Player, name, file string) *played {
	g := &played{base: base{server: s}, controls: controls{ctx: s.ctx, player: player}, close: func() error { return nil }}
	types := make(map[string]msgs.Type)
	for _, c := range player.Channels() {
		types[c.Topic] = c.Type
	}
	g.topics = newTopics(g, types)
	out.topics = g.topics
	if n := len(types) - len(g.list); n > 0 {
		s.o.Log.Warn().Int("topics", n).Msg("viewers don't see all topics, because there are too many")
	}
	first, last := player.Range()
	g.start = first
	start, end := api.Nanos(first), api.Nanos(last)
	g.source = api.Source{
		Kind: "file", Name: name, File: file, Sensors: []api.Sensor{}, Streams: g.streams(), Marks: []api.Mark{},
		Start: &start, End: &end,
		Info: [][2]string{
			{"Start", replay.ReadableTime(first)},
			{"Duration", last.Sub(first).Round(time.Millisecond).String()},
			{"Topics", fmt.Sprint(len(types))},
		},
	}
	return g
}

// begin implements stage.
func (g *played) begin() error { return g.beginIf(len(g.watched()) > 0) }

func (g *played) do(r *api.Request) (map[string]any, error) {
	switch r.Op {
	case "seek":
		return nil, g.seek(r)
	case "step":
		return nil, g.step(r.Sets)
	}
	return nil, g.controls.do(r)
}

// canResend implements stage: even during playback, the next message may be far away.
func (g *played) canResend() bool { return g.player.Status().State != replay.Waiting }

func (g *played) resend(list []*stream) error { return g.run(replay.Recall{Topics: g.names(list)}) }

// seek goes to a time. Viewers see the last message of each topic at that time.
func (g *played) seek(r *api.Request) error {
	if r.Time == nil {
		return errors.New("a recording of topics can be sought by time only")
	}
	return g.run(replay.SeekTo{Time: bagstore.Time(*r.Time)}, replay.Recall{Topics: g.watched()})
}

// maxSteps is the maximum number of frame sets in a request.
const maxSteps = 1000

// step goes forward or back by frame sets. A set begins with an image or, without images, with
// a message of the topic that has the most messages.
func (g *played) step(n int) error {
	switch {
	case n < -maxSteps || n > maxSteps:
		return fmt.Errorf("%d frame sets, want %d to %d", n, -maxSteps, maxSteps)
	case n < 0:
		return g.run(replay.Pause{}, replay.StepBack{Sets: -n}, replay.Recall{Topics: g.watched()})
	}
	commands := []replay.Command{replay.Pause{}}
	for range n {
		commands = append(commands, replay.StepFrameSet{})
	}
	return g.run(commands...)
}

// findMarks finds the marks that the recorder has written.
func (g *played) findMarks(ctx context.Context, bag *bagstore.Recording) {
	list := []api.Mark{}
	for a := range info.Annotations(ctx, bag) {
		m := api.Mark{Time: api.Nanos(a.Time), Kind: "notification", Text: fmt.Sprintf("%.200s", a.Text)}
		if a.Dropped > 0 {
			m.Kind, m.Text = "loss", fmt.Sprintf("%d messages of %.200s dropped by the recorder", a.Dropped, a.Topic)
		}
		if list = append(list, m); len(list) == maxMarks {
			break
		}
	}
	if len(list) > 0 {
		g.found.Store(&list)
	}
}

// maxMarks is the limit of a recording's marks.
const maxMarks = 1000

func (g *played) end() error { return g.close() }
