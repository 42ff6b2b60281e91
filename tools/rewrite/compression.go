package rewrite

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/tools/info"
)

// SameCompression sets the options to the compression of a bag, unless one is chosen: a bag of which some topics
// are compressed keeps these.
func SameCompression(b *bagstore.Recording, o *bagstore.Options) (err error) {
	if o.Compression != "" {
		return nil
	}
	if some := compressedTopics(b); some != nil {
		o.Compression, o.LZ4Topics = bagstore.LZ4, some
		return nil
	}
	o.Compression, err = BagCompression(b)
	return err
}

// BagCompression is MainCompression, but LZ4 for those that a bag can't have.
func BagCompression(b *bagstore.Recording) (bagstore.Compression, error) {
	c, err := MainCompression(b)
	if err == nil && c != bagstore.None && c != bagstore.BZ2 {
		c = bagstore.LZ4
	}
	return c, err
}

// MainCompression returns the compression of most of a recording's chunks.
func MainCompression(b *bagstore.Recording) (bagstore.Compression, error) {
	uses, _, err := info.Compressions(b)
	switch {
	case err != nil:
		return "", err
	case len(uses) == 0:
		return bagstore.None, nil
	}
	return uses[0].Kind, nil
}

// compressedTopics matches the topics most of whose messages are in LZ4 chunks, if a bag has others in
// uncompressed ones; otherwise it is nil.
func compressedTopics(b *bagstore.Recording) *regexp.Regexp {
	chunks := b.Blocks()
	if rosbag.FileOf(b) == nil || b.Costly() {
		return nil
	}
	heads, _, err := b.Layouts()
	if err != nil || len(heads) != len(chunks) {
		return nil // reading the chunks will tell
	}
	topics := make(map[uint32]string)
	for _, c := range b.Connections() {
		topics[c.ID] = c.Topic
	}
	more := make(map[string]int64) // messages in LZ4 chunks, less those in uncompressed ones
	for i, h := range heads {
		for _, n := range chunks[i].Counts {
			switch h.Compression {
			case bagstore.LZ4:
				more[topics[n.ID]] += int64(n.Count)
			case bagstore.None:
				more[topics[n.ID]] -= int64(n.Count)
			case "": // damaged
			default:
				return nil
			}
		}
	}
	var names []string
	for _, topic := range slices.Sorted(maps.Keys(more)) {
		if more[topic] > 0 {
			names = append(names, regexp.QuoteMeta(topic))
		}
	}
	if len(names) == 0 || len(names) == len(more) {
		return nil
	}
	return regexp.MustCompile("^(?:" + strings.Join(names, "|") + ")$")
}
