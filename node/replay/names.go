package replay

import (
	"fmt"
	"strings"
)

// legalName returns a topic name that ROS accepts: letters, digits, '_' and '/',
// starting with a letter, '/' or '~'. Every other character becomes '_', as in later
// versions of the SDK ("Depth Units", "Depth_Units").
func legalName(topic string) string {
	legal := strings.Map(func(r rune) rune {
		if r == '/' || r == '_' || alphanumeric(r) {
			return r
		}
		return '_'
	}, topic)
	if strings.HasPrefix(topic, "~") {
		legal = "~" + legal[1:]
	}
	for strings.Contains(legal, "//") {
		legal = strings.ReplaceAll(legal, "//", "/")
	}
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

func alphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// namer assigns the published names of topics. A name that was changed is never that of
// another topic.
type namer struct {
	prefix string
	given  map[string]string // by recorded topic
	taken  map[string]bool
}

// newNamer reserves the names that stay as they are.
func newNamer(prefix string, topics []string) *namer {
	n := &namer{prefix, make(map[string]string), make(map[string]bool)}
	for _, t := range topics {
		if full := prefix + t; legalName(full) == full {
			n.given[t], n.taken[full] = full, true
		}
	}
	return n
}

// name returns a topic's name; changed reports that it isn't prefix + topic.
func (n *namer) name(topic string) (name string, changed bool) {
	full := n.prefix + topic
	if name, ok := n.given[topic]; ok {
		return name, name != full
	}
	name = legalName(full)
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", legalName(full), i)
	}
	n.given[topic], n.taken[name] = name, true
	return name, true
}
