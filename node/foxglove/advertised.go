package foxglove

import (
	"maps"
	"slices"
)

// batch is how many channels or services are advertised in one message.
const batch = 100

// advertised has a number for each topic or service that was ever advertised. It stays the
// same while the server lives. The server's mu guards it.
type advertised[T comparable] struct {
	ids  map[T]uint32
	live map[uint32]T
}

// update replaces what there is, and returns the numbers of what came and what went.
func (a *advertised[T]) update(list []T) (came, went []uint32) {
	if a.ids == nil {
		a.ids = make(map[T]uint32)
	}
	now := make(map[uint32]T)
	for _, t := range list {
		id := a.ids[t]
		if id == 0 {
			id = uint32(len(a.ids) + 1)
			a.ids[t] = id
		}
		if _, had := a.live[id]; !had {
			came = append(came, id)
		}
		now[id] = t
	}
	for id := range a.live {
		if _, has := now[id]; !has {
			went = append(went, id)
		}
	}
	a.live = now
	slices.Sort(came)
	slices.Sort(went)
	return slices.Compact(came), went
}

// changed lists the names that have another value now, or none, sorted.
func changed[V any](before, now map[string]V, equal func(a, b V) bool) []string {
	names := make(map[string]bool)
	for name, v := range now {
		if !equal(before[name], v) {
			names[name] = true
		}
	}
	for name := range before {
		if _, has := now[name]; !has {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
