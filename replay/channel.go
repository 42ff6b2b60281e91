package replay

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program/work"
)

// channel is a Channel with the player's state for it.
type channel struct {
	Channel
	recorded string // the topic's name in the bag
	sink     Sink
	stamps   *stamper // nil if there are none
	limit    work.Limiter
	tfStatic bool
	pausing  bool   // playback pauses before each message
	image    bool   // paces frame sets
	static   uint64 // number of messages at the time of statics
	total    uint64 // number of messages
}

// Messages of up to smallMessage bytes are copied, which costs less than retaining them.
const smallMessage = 4 << 10

// maxConnections bounds the connections that are played: each takes 5 KB here and as much in the graph.
const maxConnections = 20_000

type channels struct {
	list   []*channel
	byConn map[*bagstore.Connection]*channel
}

// plan returns the channels of the connections to play, one for each callerid and
// topic. It omits connections that can't be played and reports them in problems.
func plan(conns []*bagstore.Connection, o *Options) (cs *channels, renamed, problems []string) {
	cs = &channels{byConn: make(map[*bagstore.Connection]*channel)}
	var topics []string
	for _, c := range conns {
		topics = append(topics, c.Topic)
	}
	names := names(o.Prefix, topics)
	byTopic := make(map[string]*channel) // for the type
	byKey := make(map[[2]string]*channel)
	var specs msgs.Cache[*msgs.Spec]
	for _, c := range conns {
		if err := playable(c); err != nil {
			problems = append(problems, fmt.Sprintf("topic %s is left out: %v", c.Topic, err))
			continue
		}
		name := names[c.Topic]
		first := byTopic[name]
		if first != nil && (first.Type.MD5 != c.MD5 || first.Type.Name != c.Type) {
			problems = append(problems,
				fmt.Sprintf("a part of topic %s is left out: it is of type %s [%s], another part of %s [%s]",
					c.Topic, c.Type, c.MD5, first.Type.Name, first.Type.MD5))
			continue
		}
		key := [2]string{c.CallerID, name}
		ch := byKey[key]
		if ch == nil {
			var err error
			if ch, err = newChannel(c, name, o, &specs); err != nil && (o.Restamp || o.LoopMonotonic) {
				problems = append(problems, fmt.Sprintf("stamps in messages of topic %s aren't moved: %v", c.Topic, err))
			}
			byKey[key] = ch
			cs.list = append(cs.list, ch)
		}
		if first == nil {
			byTopic[name] = ch
			if name != o.Prefix+c.Topic {
				renamed = append(renamed, fmt.Sprintf("%q is published as %s", c.Topic, name))
			}
		}
		ch.Latch, ch.BestEffort = ch.Latch || c.Latching, ch.BestEffort && c.BestEffort
		cs.byConn[c] = ch
	}
	return cs, renamed, slices.Compact(problems)
}

// playable returns the reason why a connection can't be published, or nil.
func playable(c *bagstore.Connection) error {
	pkg, typ, ok := strings.Cut(c.Type, "/")
	switch {
	case !ok || pkg == "" || typ == "" || !printable(c.Type):
		return fmt.Errorf("%q is not a message type", c.Type)
	case len(c.MD5) != 32 || strings.Trim(c.MD5, "0123456789abcdef") != "":
		return fmt.Errorf("%q is not an md5sum", c.MD5)
	case c.Definition == "" && c.MD5 != msgs.EmptyMD5:
		return fmt.Errorf("type %s has no definition", c.Type)
	}
	return nil
}

// printable reports whether XML can carry a type's name.
func printable(typ string) bool {
	return !strings.ContainsFunc(typ, func(r rune) bool { return r == utf8.RuneError || r == ' ' || !unicode.IsPrint(r) })
}

// newChannel returns a channel. An error means that its stamps can't be found.
func newChannel(c *bagstore.Connection, name string, o *Options, specs *msgs.Cache[*msgs.Spec]) (*channel, error) {
	ch := &channel{
		Channel: Channel{Topic: name, Type: msgs.Type{Name: c.Type, MD5: c.MD5, Definition: c.Definition},
			CallerID: c.CallerID, BestEffort: c.BestEffort},
		recorded: c.Topic,
		limit:    work.NewLimiter(o.Filter.Limits[c.Topic]),
		tfStatic: hasStaticTransforms(c),
		image: c.Type == "sensor_msgs/Image" || c.Type == "sensor_msgs/CompressedImage" ||
			c.Type == "sensor_msgs/PointCloud2",
	}
	spec, err := specs.Get(c.Type, c.Definition, msgs.Parse)
	if err == nil {
		ch.stamps = newStamper(spec)
	}
	if ch.tfStatic {
		ch.LatchAll = true
	}
	return ch, err
}

func hasStaticTransforms(c *bagstore.Connection) bool {
	return strings.TrimPrefix(c.Topic, "/") == "tf_static" && c.Type == "tf2_msgs/TFMessage"
}

// countStatics counts the static messages of each channel and sets what each latches.
func (cs *channels) countStatics(source Source, statics View) {
	it := statics.Iterator()
	defer it.Close()
	for it.SkipNext() {
		if ch := cs.byConn[it.Message().Conn]; ch != nil {
			ch.static++
		}
	}
	for c, ch := range cs.byConn {
		ch.total += source.Count(c)
	}
	for _, ch := range cs.list {
		// A channel with nothing but static messages (device info) keeps all of
		// them; one whose value changes later (an option) keeps the newest.
		ch.LatchAll = ch.LatchAll || ch.static > 0 && ch.static == ch.total
		ch.Latch = ch.Latch || ch.static > 0 && !ch.LatchAll
	}
}

func (p *Player) warnAboutNames() {
	recorded, published := make(map[string]bool), make(map[string]bool)
	for _, ch := range p.channels.list {
		recorded[ch.recorded], published[ch.Topic] = true, true
	}
	warn := func(played map[string]bool, topics []string, flag string) {
		for _, t := range topics {
			if !played[t] {
				p.log.Warn().Msgf("%s: topic %s isn't played", flag, t)
			}
		}
	}
	warn(recorded, slices.Sorted(maps.Keys(p.o.Filter.Limits)), "rate limits")
	warn(recorded, p.o.PauseTopics, "pause topics")
	warn(published, p.o.ClockTopics, "clock topics")
}

// dropUnpublished removes the channels without a sink.
func (cs *channels) dropUnpublished() {
	maps.DeleteFunc(cs.byConn, func(_ *bagstore.Connection, ch *channel) bool { return ch.sink == nil })
	cs.list = slices.DeleteFunc(cs.list, func(ch *channel) bool { return ch.sink == nil })
}

func (cs *channels) sorted() []*channel {
	return slices.SortedStableFunc(slices.Values(cs.list),
		func(x, y *channel) int { return cmp.Compare(x.Topic, y.Topic) })
}

func (cs *channels) anyImage() bool {
	return slices.ContainsFunc(cs.list, func(ch *channel) bool { return ch.image })
}

var illegal, slashes = regexp.MustCompile(`[^a-zA-Z0-9_/]`), regexp.MustCompile("/+")

// legalName returns a topic name that ROS accepts: letters, digits, '_' and '/', starting with a letter, '/' or '~'.
// Every other character becomes '_', as in later versions of the SDK ("Depth Units", "Depth_Units").
func legalName(topic string) string {
	legal := illegal.ReplaceAllLiteralString(topic, "_")
	if strings.HasPrefix(topic, "~") {
		legal = "~" + legal[1:]
	}
	legal = slashes.ReplaceAllLiteralString(legal, "/")
	if len(legal) > 1 {
		legal = strings.TrimRight(legal, "/")
	}
	if legal == "" || legal == "/" {
		return "/unnamed"
	}
	if c := rune(legal[0]); c == '_' || c >= '0' && c <= '9' {
		return "topic_" + strings.TrimLeft(legal, "_")
	}
	return legal
}

// names returns the published name of each recorded topic: prefix and topic, made legal, and distinct from others.
func names(prefix string, topics []string) map[string]string {
	given, taken := make(map[string]string), make(map[string]bool)
	for _, t := range topics { // reserve the names that stay as they are
		if full := prefix + t; legalName(full) == full {
			given[t], taken[full] = full, true
		}
	}
	for _, t := range topics {
		if given[t] != "" {
			continue
		}
		legal := legalName(prefix + t)
		name := legal
		for i := 2; taken[name]; i++ {
			name = fmt.Sprintf("%s_%d", legal, i)
		}
		given[t], taken[name] = name, true
	}
	return given
}
