package viewer

import (
	"context"
	"errors"
	"sync"

	"rsros/bagstore"
	"rsros/program/work"
	"rsros/replay"
)

// openTopics returns the stage of a recording without a device, a bag or a recording of
// ROS 2, and starts playback. It closes the bag.
func openTopics(ctx context.Context, s *Server, bag *bagstore.Recording, path, name, file string) (stage, error) {
	for _, n := range bag.Notes() {
		s.o.Log.Warn().Str("bag", path).Msg(n.Text)
	}
	clock, err := replay.NewSystem()
	if err != nil {
		return nil, errors.Join(err, bag.Close())
	}
	out := NewOutput(replay.Nowhere{})
	player, err := replay.New(replay.Options{
		Source: replay.Bags([]*bagstore.Recording{bag}), Output: out, Clock: clock, Log: s.o.Log,
		Settings: replay.Settings{KeepAlive: true, Paused: true},
	})
	if err != nil {
		return nil, errors.Join(err, clock.Close(), bag.Close())
	}
	for _, problem := range player.Problems() {
		s.o.Log.Warn().Str("bag", path).Msg(problem)
	}
	g := newPlayed(s, out, player, name, file)
	g.waits = true
	ctx = context.WithoutCancel(ctx)
	endPlayer := work.Run(ctx, func(ctx context.Context) {
		if err := player.Run(ctx); err != nil && ctx.Err() == nil {
			s.notify(g, "notification", failure("Playback", err))
		}
	})
	endSearch := work.Run(ctx, func(ctx context.Context) { g.findMarks(ctx, bag) })
	g.close = sync.OnceValue(func() error {
		endPlayer()
		endSearch()
		return errors.Join(clock.Close(), bag.Close())
	})
	return g, nil
}
