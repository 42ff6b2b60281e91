package view

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/node/replay"
	"rsros/node/view/wire"
)

// played is the stage of a player: the topics of recordings that are played.
type played struct {
	*topics
	unrecorded
	server *Server
	player *replay.Player
	source wire.Source
	start  bagstore.Time
	close  func() error // what the stage has opened
}

// newPlayed makes the stage of a player that doesn't run yet, and whose output is out.
func newPlayed(s *Server, out *Output, player *replay.Player, name, file string) *played {
	g := &played{server: s, player: player, close: func() error { return nil }}
	types := make(map[string]msgs.Type)
	for _, c := range player.Channels() {
		types[c.Topic] = c.Type
	}
	g.topics = newTopics(g, types)
	out.topics = g.topics
	if n := len(types) - len(g.list); n > 0 {
		s.o.Log.Warn().Int("topics", n).Msg("viewers aren't shown all topics, because there are too many")
	}
	first, last := player.Range()
	g.start = first
	start, end := wire.Nanos(first), wire.Nanos(last)
	g.source = wire.Source{
		Kind: "file", Name: name, File: file, Sensors: []wire.Sensor{}, Streams: g.streams(), Marks: []wire.Mark{}, Start: &start, End: &end,
		Info: [][2]string{{"Start", replay.ReadableTime(first)}, {"Duration", last.Sub(first).Round(time.Millisecond).String()}, {"Topics", fmt.Sprint(len(types))}},
	}
	return g
}

// described implements stage.
func (g *played) described() *wire.Source { return &g.source }

// span implements stage.
func (g *played) span() (start, end wire.Nanos, ok bool) { return *g.source.Start, *g.source.End, true }

// state implements stage.
func (g *played) state() *wire.State {
	s := g.player.Status()
	at := wire.Nanos(g.start.Add(s.Position))
	out := &wire.State{
		Playing: s.State != replay.Paused && s.State != replay.Finished, Position: &at, Rate: s.Rate, Loop: s.Loop, Ended: s.State == replay.Finished, Round: s.Round, Jumps: s.Jumps,
	}
	if r := s.Range; r != nil {
		out.Range = &[2]wire.Nanos{wire.Nanos(g.start.Add(r.From)), wire.Nanos(g.start.Add(r.To))}
	}
	return out
}

// do has the player carry out commands. That there was nothing to change is no error:
// somebody else was faster.
func (g *played) do(commands ...replay.Command) error {
	for _, c := range commands {
		if err := g.player.Do(g.server.ctx, c); err != nil && !errors.Is(err, replay.ErrNoChange) {
			return err
		}
	}
	return nil
}

// still implements stage: messages may be rare, also while time goes on.
func (g *played) still() bool { return g.player.Status().State != replay.Waiting }

// showAgain implements stage.
func (g *played) showAgain(list []*stream) error { return g.do(replay.Recall{Topics: g.names(list)}) }

// play implements stage. At the end, it plays from the beginning again.
func (g *played) play() error {
	s := g.player.Status()
	if s.State != replay.Finished {
		return g.do(replay.Resume{})
	}
	from := cmp.Or(s.Range, new(replay.Range)).From
	return g.do(replay.SeekOffset{Offset: from}, replay.Resume{})
}

func (g *played) pause() error { return g.do(replay.Pause{}) }

// seek implements stage. Viewers see what was last on each topic then.
func (g *played) seek(r *wire.Request) error {
	if r.Time == nil {
		return errors.New("topics can be sought in by time only")
	}
	return g.do(replay.SeekTo{Time: bagstore.Time(*r.Time)}, replay.Recall{Topics: g.watched()})
}

// mostSteps bounds the frame sets of one request.
const mostSteps = 1000

// step implements stage. A set begins with an image, or with a message of the topic that
// has the most.
func (g *played) step(n int) error {
	switch {
	case n < -mostSteps || n > mostSteps:
		return fmt.Errorf("%d frame sets, want %d to %d", n, -mostSteps, mostSteps)
	case n < 0:
		return g.do(replay.Pause{}, replay.StepBack{Sets: -n}, replay.Recall{Topics: g.watched()})
	}
	commands := []replay.Command{replay.Pause{}}
	for range n {
		commands = append(commands, replay.StepFrameSet{})
	}
	return g.do(commands...)
}

func (g *played) setRate(rate float64) error { return g.do(replay.SetRate{Rate: rate}) }

func (g *played) setLoop(on bool) error { return g.do(replay.SetLoop{On: on}) }

func (g *played) setRange(part *[2]wire.Nanos) error {
	if part == nil {
		return g.do(replay.ClearRange{})
	}
	from, to := bagstore.Time(part[0]).Sub(g.start), bagstore.Time(part[1]).Sub(g.start)
	return g.do(replay.SetRange{Range: replay.Range{From: max(from, 0), To: to}})
}

func (*played) setOption(*wire.Request) error { return errNoOptions }

// end implements stage.
func (g *played) end() error { return g.close() }
