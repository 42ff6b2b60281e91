package nodegraph

import (
	"context"
	"errors"
	"sync"

	"rsros/bagstore"
	"rsros/replay"
	"rsros/viewer/foxglove"
)

// Playback lets Foxglove's clients see and control a player. Report must be the player's
// replay.Options.OnStatus.
type Playback struct {
	player *replay.Player

	mu        sync.Mutex
	last      foxglove.PlaybackState
	followers map[int]func(foxglove.PlaybackState)
	begun     int // followers
}

// Control sets the player. It must be called once, before all methods except Report.
func (p *Playback) Control(player *replay.Player) { p.player = player }

// Report passes a player's status to the clients.
func (p *Playback) Report(s replay.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = stateOf(s)
	for _, changed := range p.followers {
		changed(p.last)
	}
}

func stateOf(s replay.Status) foxglove.PlaybackState {
	state := foxglove.PlaybackState{Status: foxglove.Playing, Time: int64(s.Time), Speed: float32(s.Rate), Jumps: s.Jumps}
	switch s.State {
	case replay.Waiting, replay.Delayed, replay.Stalled:
		state.Status = foxglove.Buffering
	case replay.Paused:
		state.Status = foxglove.Paused
	case replay.Finished:
		state.Status = foxglove.Ended
	}
	return state
}

// Range implements foxglove.Playback.
func (p *Playback) Range() (start, end int64, ok bool) {
	from, to := p.player.Range()
	return int64(from), int64(to), true
}

// Follow implements foxglove.Playback.
func (p *Playback) Follow(changed func(foxglove.PlaybackState)) (stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun++
	id := p.begun
	if p.followers == nil {
		p.followers = make(map[int]func(foxglove.PlaybackState))
	}
	p.followers[id] = changed
	changed(p.last)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.followers, id)
	}
}

// Do implements foxglove.Playback. It pauses first and resumes last, so that no message is
// published in between.
func (p *Playback) Do(ctx context.Context, c foxglove.PlaybackCommand) (foxglove.PlaybackState, error) {
	var commands []replay.Command
	if !c.Play {
		commands = append(commands, replay.Pause{})
	}
	// The rate may have more digits than the protocol's float32.
	if c.Speed != float32(p.player.Status().Rate) {
		commands = append(commands, replay.SetRate{Rate: float64(c.Speed)})
	}
	if c.Seek {
		commands = append(commands, replay.SeekTo{Time: bagstore.Time(c.Time)})
	}
	if c.Play {
		commands = append(commands, replay.Resume{})
	}
	var failed error
	for _, command := range commands {
		if err := p.player.Do(ctx, command); err != nil && !errors.Is(err, replay.ErrNoChange) {
			failed = errors.Join(failed, err)
		}
	}
	return stateOf(p.player.Status()), failed
}
