package process

import "slices"

// derivations keeps the profiles that a block made of others: one for each stream
// and format. A block that is given the same profile gives the same again, so that
// the blocks after it keep their history.
type derivations struct {
	list []derivation
}

type derivation struct{ from, to *Profile }

// of finds what from became, or derives it.
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
