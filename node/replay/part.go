package replay

import (
	"context"
	"slices"

	"rsros/bagstore"
)

// NarrowBags narrows bags that were opened with [bagstore.OpenOptions.Part] to the messages that the settings play, and
// the earlier ones that subscribers need. It must be called before New.
func NarrowBags(ctx context.Context, bags []*bagstore.Bag, s Settings) error {
	if !slices.ContainsFunc(bags, (*bagstore.Bag).Partial) {
		return nil
	}
	var rest []*bagstore.Bag
	for _, b := range bags {
		if beginning(b) > 0 {
			rest = append(rest, b)
			continue
		}
		// None of the topics that can be read has a message at the beginning.
		if err := b.NarrowTo(ctx, bagstore.Part{}); err != nil {
			return err
		}
	}
	first := beginning(bags...)
	from, to, err := s.between(func() bagstore.Time { return first })
	if err != nil {
		return nil // New returns the error
	}
	latched := latchedTopics(bags)
	for _, b := range rest {
		part := bagstore.Part{Start: max(from, statics+1), End: to}
		for _, c := range b.Connections() {
			switch {
			case !s.Filter.wants(c):
			case hasStaticTransforms(c):
				part.All = append(part.All, c.ID)
			case latched[c.Topic]:
				part.Last = append(part.Last, c.ID)
			}
		}
		if err := b.NarrowTo(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// beginning returns the time of the first message with a time of its own; 0 if there is none.
func beginning(bags ...*bagstore.Bag) bagstore.Time {
	return bagstore.NewView(bags, bagstore.Query{Start: statics + 1}).Start()
}

// latchedTopics returns the topics of which subscribers get the last message from before: the latched ones, and those
// with messages at the time of statics, see channels.countStatics. Bags with the same topic share its channel.
func latchedTopics(bags []*bagstore.Bag) map[string]bool {
	topics := make(map[string]bool)
	for _, b := range bags {
		for _, c := range b.Connections() {
			topics[c.Topic] = topics[c.Topic] || c.Latching
		}
	}
	it := bagstore.NewView(bags, bagstore.Query{End: statics}).Iterator()
	defer it.Close()
	for it.SkipNext() {
		topics[it.Message().Conn.Topic] = true
	}
	return topics
}
