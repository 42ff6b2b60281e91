package record

import (
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/program"
)

// settle is how many seconds publishers have to be found.
const settle = 2

// watchNamed is called once a second. It looks for publishers of the topics that the user has named, of which one may
// have a typing error.
func (r *Recording) watchNamed() {
	if r.node == nil || r.node.Alone() {
		return // the node says that there is no master
	}
	if r.seconds++; r.seconds != settle {
		r.unpublished()
	} else if missing := append(r.unpublished(), r.unmatched()...); len(missing) > 0 {
		list := "rostopic list"
		if r.o.ROS2() {
			list = program.Name + " info --ros 2"
		}
		r.log.Warn().Msgf("nobody publishes %s yet: recording waits for it; %s shows what is published",
			strings.Join(missing, ", "), list)
	}
}

// unpublished returns the named topics that nobody has published so far.
func (r *Recording) unpublished() (names []string) {
	for _, t := range r.subscribed() {
		if t.subscriber.Announced() {
			t.published.Store(true)
		}
		if t.named && !t.published.Load() {
			names = append(names, t.name)
		}
	}
	return names
}

// unmatched returns the regular expressions that have matched no topic so far.
func (r *Recording) unmatched() (texts []string) {
	if !r.o.Regex || r.o.All {
		return nil
	}
	for _, text := range r.o.Topics {
		if re, err := bagstore.MatchWhole(text); err == nil && !slices.ContainsFunc(r.Topics(), re.MatchString) {
			texts = append(texts, "a topic that matches "+text)
		}
	}
	return texts
}

// silence returns what to say at the end about named topics without messages.
func (r *Recording) silence() (lines []string) {
	for _, t := range r.subscribed() {
		switch {
		case !t.named || t.subscriber.Stats().Messages > 0 || t.unreached.Load() > 0:
		case t.published.Load():
			lines = append(lines, "no message of "+t.name+" came")
		default:
			lines = append(lines, "no message of "+t.name+" came: nobody published it")
		}
	}
	for _, text := range r.unmatched() {
		lines = append(lines, "nobody published "+text)
	}
	return lines
}
