package process

import "slices"

// derivations caches the profiles that a block derives, one per stream and format. For
// the same input profile, a block must return the same output profile, so that the
// blocks after it keep their history.
type derivations struct {
	list []derivation
}

type derivation struct{ from, to *Profile }

// of returns the profile derived from from.
func (d *derivations) of(from *Profile, derive func(*Profile) *Profile) *Profile {
	for i := range d.list {
		if d.list[i].from == from {
			return d.list[i].to
		}
	}
	d.list = slices.DeleteFunc(d.list, func(old derivation) bool {
		return old.from.Stream == from.Stream && old.from.Format == from.Format
	})
	to := derive(from)
	d.list = append(d.list, derivation{from, to})
	return to
}
