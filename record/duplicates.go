package record

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
)

// source is a recorded topic as its publishers describe it.
type source struct {
	name, typ string
	nodes     []string // that publish it
}

// transports are the topics of image_transport beside one of images.
var transports = map[string]string{
	"compressed": "sensor_msgs/CompressedImage", "compressedDepth": "sensor_msgs/CompressedImage", "theora": "theora_image_transport/Packet",
}

const imageType = "sensor_msgs/Image"

// split splits the name of a topic of images into that of the images and the transport, which is "" for the images themselves.
func (s source) split() (base, transport string, ok bool) {
	i := strings.LastIndexByte(s.name, '/')
	if typ := transports[s.name[i+1:]]; i > 0 && typ != "" && typ == s.typ {
		return s.name[:i], s.name[i+1:], true
	}
	return s.name, "", s.typ == imageType
}

func (s source) sameNode(other source) bool {
	return slices.ContainsFunc(s.nodes, func(n string) bool { return slices.Contains(other.nodes, n) })
}

// duplicates are topics with images that a node publishes under another name, too.
type duplicates struct {
	of      map[string]string // the other topic
	exclude string            // a regular expression of them
	namings bool              // a camera is published under two namings
}

// findDuplicates looks at names, types and publishers.
func findDuplicates(topics []source) duplicates {
	d := duplicates{of: map[string]string{}}
	suffixes, nodes := map[string]bool{}, source{}
	byName := map[string]source{}
	for _, t := range topics {
		byName[t.name] = t
	}
	for _, t := range topics {
		base, transport, ok := t.split()
		if !ok {
			continue
		}
		if raw := byName[base]; transport != "" && raw.typ == imageType && raw.sameNode(t) {
			d.of[t.name], suffixes[transport] = base, true
		}
		if stream := streamOf(base); stream != "" {
			if i := slices.IndexFunc(topics, func(other source) bool { return other.shows(stream, transport) && other.sameNode(t) }); i >= 0 {
				d.of[t.name], d.namings = topics[i].name, true
			}
		}
		if d.of[t.name] != "" {
			nodes.nodes = append(nodes.nodes, t.nodes...)
		}
	}
	if len(d.of) == 0 {
		return d
	}
	var parts []string
	if d.namings {
		parts = append(parts, "/device_[0-9]+/.*")
	}
	if list := slices.Sorted(maps.Keys(suffixes)); len(list) == 1 {
		parts = append(parts, ".*/"+list[0])
	} else if len(list) > 1 {
		parts = append(parts, ".*/("+strings.Join(list, "|")+")")
	}
	d.exclude = strings.Join(parts, "|")
	if re, err := bagstore.MatchWhole(d.exclude); err != nil || slices.ContainsFunc(topics, func(t source) bool {
		_, _, image := t.split()
		return re.MatchString(t.name) && d.of[t.name] == "" && (image || !t.sameNode(nodes))
	}) { // it would leave out more
		d.exclude = ""
		for _, name := range slices.Sorted(maps.Keys(d.of)) {
			d.exclude += "|" + regexp.QuoteMeta(name)
		}
		d.exclude = d.exclude[1:]
	}
	return d
}

// streamOf returns realsense2_camera's name of the stream whose images a topic of the RealSense layout has, such as
// infra1; "" for other topics.
func streamOf(topic string) string {
	_, first := rslayout.FirstTopic(topic)
	t := rslayout.ParseTopic(first)
	if t.Kind != rslayout.TopicImage {
		return ""
	}
	return rslayout.NodeName(t.Stream)
}

// shows reports whether the topic has images of a stream under realsense2_camera's names, by a transport.
func (s source) shows(stream, transport string) bool {
	base, by, ok := s.split()
	return ok && by == transport && (strings.HasSuffix(base, "/"+stream+"/image_raw") || strings.HasSuffix(base, "/"+stream+"/image_rect_raw"))
}

// String says what to do about them.
func (d duplicates) String() string {
	if len(d.of) == 0 {
		return ""
	}
	name := slices.Min(slices.Collect(maps.Keys(d.of)))
	text := fmt.Sprintf("%d topics have images that are recorded from other topics, too, such as %s from %s: leave them out with -x '%s'",
		len(d.of), name, d.of[name], d.exclude)
	if d.namings {
		text += ", or publish one naming (live --naming wrapper)"
	}
	return text
}
