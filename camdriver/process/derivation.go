package process

import "slices"

// derivations caches the profiles that a block derives, one per stream and format. For the same input profile, a block
// must return the same output profile, so that the blocks after it keep their history.
type derivations []derivation

type derivation struct{ from, to *Profile }

// of returns the profile derived from from.
func (d *derivations) of(from *Profile, derive func(*Profile) *Profile) *Profile {
	for _, known := range *d {
		if known.from == from {
			return known.to
		}
	}
	to := derive(from)
	*d = append(slices.DeleteFunc(*d, func(old derivation) bool {
		return old.from.Stream == from.Stream && old.from.Format == from.Format
	}), derivation{from, to})
	return to
}
