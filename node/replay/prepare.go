package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
)

// choose plans the channels of all connections that the filter selects.
func (p *Player) choose() {
	var conns []*bagstore.Connection
	for _, c := range p.o.Source.Connections() {
		if !p.o.Filter.wants(c) {
			continue
		}
		if p.o.ClockHz > 0 && strings.TrimPrefix(p.o.Prefix+c.Topic, "/") == "clock" {
			p.log.Warn().Msg("the bag's own /clock is left out: this player publishes /clock")
			continue
		}
		conns = append(conns, c)
	}
	var renamed, problems []string
	p.channels, renamed, problems = plan(conns, &p.o)
	for _, text := range renamed {
		p.log.Debug().Msg(text)
	}
	if len(renamed) > 0 {
		p.log.Info().Msgf("ROS refuses the names of %d topics; they are made legal, such as: %s", len(renamed), renamed[0])
	}
	for _, text := range problems {
		p.problems.add("%s", text)
	}
	for _, text := range p.o.Filter.missing(p.o.Source.Connections()) {
		p.problems.add("%s", text)
	}
	for _, ch := range p.channels.list {
		ch.pausing = slices.Contains(p.o.PauseTopics, ch.recorded)
	}
	p.warnOfNames()
}

// query selects the messages between two times. In real time a chunk is needed long
// after it could be decompressed, so it is decompressed at low priority.
func (p *Player) query(from, to bagstore.Time) bagstore.Query {
	q := bagstore.Query{Connections: p.playing, Start: from, End: to, Mapped: p.untouched}
	if !p.o.Immediate {
		q.Lead = time.Second
	}
	return q
}

// bound determines the start and the end of playback.
func (p *Player) bound() error {
	all := p.o.Source.View(bagstore.Query{Start: statics + 1})
	from, to := all.Start().Add(p.o.Start), bagstore.MaxTime
	if at := p.o.StartAt.In(all.Start); at != 0 {
		from = at
	}
	if p.o.Duration > 0 {
		to = from.Add(p.o.Duration)
	}
	if until := p.o.Until.In(all.Start); until != 0 {
		to = min(to, until)
	}
	if to < from {
		return fmt.Errorf("the end, %s, is before the start, %s", ReadableTime(to), ReadableTime(from))
	}
	p.view = p.o.Source.View(p.query(max(from, statics+1), to))
	early := p.o.Source.View(bagstore.Query{Connections: p.playing, End: statics})
	p.channels.countStatics(p.o.Source, early)
	start, end := p.view.Start(), p.view.End()
	if start == 0 {
		p.empty = true
		start, end = max(from, statics), max(from, statics)
	}
	p.time.span(start, end)
	p.control.last = start
	return nil
}
