package replay

import (
	"context"

	"rsros/bagstore"
)

// NarrowBags narrows bags that were opened with [bagstore.OpenOptions.Part] to what the settings play, before New: the
// messages between two times, and those from before that subscribers need.
func NarrowBags(ctx context.Context, bags []*bagstore.Bag, s Settings) error {
	first := bagstore.NewView(bags, bagstore.Query{Start: statics + 1}).Start()
	from, to, err := s.between(func() bagstore.Time { return first })
	if err != nil {
		return nil // it is New's
	}
	for _, b := range bags {
		part := bagstore.Part{Start: max(from, statics+1), End: to}
		if first == 0 { // none of the topics that can be read has a message at the beginning
			part = bagstore.Part{}
		}
		early := staticConnections(b)
		for _, c := range b.Connections() {
			switch {
			case !s.Filter.wants(c):
			case hasStaticTransforms(c):
				part.All = append(part.All, c.ID)
			case c.Latching || early[c]:
				part.Last = append(part.Last, c.ID)
			}
		}
		if err := b.NarrowTo(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// staticConnections lists those with messages at the time of statics, see channels.countStatics.
func staticConnections(b *bagstore.Bag) map[*bagstore.Connection]bool {
	list := make(map[*bagstore.Connection]bool)
	if !b.Partial() {
		return list
	}
	it := b.View(bagstore.Query{End: statics}).Iterator()
	defer it.Close()
	for it.SkipNext() {
		list[it.Message().Conn] = true
	}
	return list
}
