package bagstore

import (
	"context"
	"fmt"
	"slices"

	"rsros/bagstore/place"
)

// LastOfEach calls f with the last readable message before t of each connection, in time order. It calls damaged for
// what can't be read on the way. An error of either ends it.
func LastOfEach(ctx context.Context, v *View, t Time, damaged func(error) error, f func(Message) error) error {
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
	for n := 0; len(missing) > 0 && (it.SkipPrev() || it.Err() != nil); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c := it.Message().Conn
		if missing[c] && it.read() {
			delete(missing, c)
			found = append(found, retained{it.Message(), it.Message().Retain()})
		}
		if err := it.Err(); err != nil {
			err = fmt.Errorf("latched messages: %w", err)
			if place.Ended(err) {
				return err
			}
			if err := damaged(err); err != nil {
				return err
			}
		}
	}
	slices.Reverse(found)
	for _, h := range found {
		if err := f(h.m); err != nil {
			return err
		}
	}
	return nil
}
