package bagstore

import (
	"context"
	"fmt"
	"slices"
)

// LastOfEach calls f with the last message before t of each connection, in time order.
func LastOfEach(ctx context.Context, v *View, t Time, f func(Message) error) error {
	it := v.Iterator()
	defer it.Close()
	it.Seek(t)
	missing := make(map[*Connection]bool)
	for _, c := range v.conns {
		missing[c] = true
	}
	type retained struct {
		m Message
		b *Buffer
	}
	var found []retained
	defer func() {
		for _, h := range found {
			h.b.Release()
		}
	}()
	for n := 0; len(missing) > 0 && it.SkipPrev(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if c := it.Message().Conn; missing[c] {
			delete(missing, c)
			if !it.read() {
				break
			}
			found = append(found, retained{it.Message(), it.Message().Retain()})
		}
	}
	if err := it.Err(); err != nil {
		return fmt.Errorf("latched messages: %w", err)
	}
	slices.Reverse(found)
	for _, h := range found {
		if err := f(h.m); err != nil {
			return err
		}
	}
	return nil
}
