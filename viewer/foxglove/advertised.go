package foxglove

import (
	"maps"
	"slices"
)

// batch is the maximum number of channels or services that a message advertises.
const batch = 100

// advertised has a number for each topic or service that was ever advertised. The number stays
// the same while the server runs. The server's mu guards it.
type advertised[T comparable] struct {
	ids  map[T]uint32
	live map[uint32]T
}

// update replaces the list, and returns the numbers of added and removed elements.
func (a *advertised[T]) update(list []T) (added, removed []uint32) {
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
			added = append(added, id)
		}
		now[id] = t
	}
	for id := range a.live {
		if _, has := now[id]; !has {
			removed = append(removed, id)
		}
	}
	a.live = now
	slices.Sort(added)
	slices.Sort(removed)
	return slices.Compact(added), removed
}

// changed returns the names of values that were added, changed or removed, sorted.
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
