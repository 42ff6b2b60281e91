package foxglove

import (
	"math"

	"github.com/coder/websocket"
)

// sentPlayback is the state of playback that clients were last sent. The server's mu guards it.
type sentPlayback struct {
	last     PlaybackState // sent to clients
	commands int           // in progress; their answers contain the changes
}

// Played informs the clients of the player's new state. It is called after each change, and
// several times a second during playback.
func (s *Server) Played(now PlaybackState) {
	s.round.Store(int64(now.Jumps))
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.sent
	jumped := now.Jumps != n.last.Jumps
	if (jumped || now.Status != n.last.Status || now.Speed != n.last.Speed) && n.commands == 0 {
		s.sendPlayback(now, "")
	}
	t := &instant{time: now.Time, round: now.Jumps}
	t.Init(0, nil)
	defer t.Release()
	for _, c := range s.clients.All() {
		c.clock.Offer(t)
	}
}

// sendPlayback sends the state to the clients that have sent a command. Others may not know
// the message. Callers hold mu.
func (s *Server) sendPlayback(now PlaybackState, request string) {
	n := &s.sent
	didSeek := now.Jumps != n.last.Jumps
	n.last = now
	for _, c := range s.clients.All() {
		if c.playback {
			c.Send(websocket.MessageBinary, appendPlaybackState(nil, now, didSeek, request))
		}
	}
}

// play executes a playback command on the client's third goroutine.
func (c *client) play(p playbackControl) {
	s := c.s
	start, end, playing := s.playback()
	if !playing || !c.s.o.Control {
		c.status(levelError, "Playback can't be controlled: the capability playbackControl isn't declared")
		return
	}
	if p.Speed <= 0 || math.IsNaN(float64(p.Speed)) {
		p.Speed = Slowest
	}
	p.Speed = min(max(p.Speed, Slowest), Fastest)
	p.Time = min(max(p.Time, start), end)
	s.mu.Lock()
	c.playback = true
	s.sent.commands++
	s.mu.Unlock()
	now, err := s.o.Playback.Do(p.PlaybackCommand)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent.commands--
	if err != nil {
		c.status(levelError, "Playback: "+err.Error())
	}
	s.sendPlayback(now, p.request)
}
