package play

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/replay"
)

// skips describes what was skipped, one text per topic.
func (o *output) skips() (list []string) {
	if o.wrapper != nil && o.wrapper.Skipped() > 0 {
		list = append(list, countOf(o.wrapper.Skipped(), "frame set")+" weren't processed in time")
	}
	for _, s := range o.sinks {
		drops := s.compressed.Drops()
		for _, topic := range slices.Sorted(maps.Keys(drops)) {
			if n := drops[topic].Dropped; n > 0 {
				list = append(list, fmt.Sprintf("%s of %s weren't compressed in time", countOf(n, "image"), topic))
			}
		}
	}
	return list
}

// dropped returns how many messages slow subscribers lost, summed over subscribers.
func (o *output) dropped() (n uint64) {
	for _, s := range o.sinks {
		n += s.Dropped()
	}
	return n
}

// loss is what one subscriber lost of one topic.
type loss struct {
	topic, subscriber string
	messages          uint64
}

func (l loss) String() string {
	return fmt.Sprintf("%s of %s by %s", countOf(l.messages, "message"), l.topic, cmp.Or(l.subscriber, "others"))
}

func countOf(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// losses returns what slow subscribers lost, sorted by topic and subscriber.
func (o *output) losses() (list []loss) {
	seen := make(map[string]bool) // several publishers share a topic's subscribers
	for _, s := range o.sinks {
		for _, p := range s.publishers() {
			if seen[p.Topic()] {
				continue
			}
			seen[p.Topic()] = true
			for subscriber, n := range p.Lost() {
				list = append(list, loss{p.Topic(), subscriber, n})
			}
		}
	}
	slices.SortFunc(list, func(a, b loss) int {
		return cmp.Or(strings.Compare(a.topic, b.topic), strings.Compare(a.subscriber, b.subscriber))
	})
	return list
}

// details returns the losses as values of ~status.
func (o *output) details(s replay.Status) (values []msgs.KeyValue) {
	if s.Dropped == 0 {
		return nil
	}
	for _, l := range o.losses() {
		values = append(values, msgs.KeyValue{Key: "dropped " + l.topic + " " + l.subscriber, Value: strconv.FormatUint(l.messages, 10)})
	}
	return values
}

// logEnd logs what was played, and returns what was lost unless lossyOK.
func (o *output) logEnd(log zerolog.Logger, s replay.Status, lossyOK bool) (lost []string) {
	dropped, losses, skips := o.dropped(), o.losses(), o.skips()
	e := log.Info().Uint64("messages", s.Messages).Uint64("bytes", s.Bytes).Dur("worst lateness (ms)", s.WorstLate.Round(time.Microsecond))
	if dropped > 0 {
		e = e.Uint64("dropped by slow subscribers", dropped)
		lost = append(lost, lossText(dropped, losses))
	}
	e.Msg("played")
	for _, l := range losses {
		log.Warn().Str("topic", l.topic).Str("subscriber", l.subscriber).Uint64("lost", l.messages).Msg("a slow subscriber lost messages")
	}
	for _, text := range skips {
		log.Warn().Msg("the computer is too slow: " + text)
	}
	if lossyOK {
		return nil
	}
	return append(lost, skips...)
}

func lossText(dropped uint64, list []loss) string {
	const most = 10 // subscribers named
	text := "slow subscribers lost " + countOf(dropped, "message")
	var each []string
	for _, l := range list[:min(len(list), most)] {
		each = append(each, l.String())
	}
	if len(list) > most {
		each = append(each, fmt.Sprintf("and %d more", len(list)-most))
	}
	if len(each) == 0 {
		return text
	}
	return text + ": " + strings.Join(each, ", ")
}
