// Package duplicates finds topics with images that are recorded from other topics, too.
package duplicates

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
)

// Topic is a recorded topic as its publishers describe it.
type Topic struct {
	Name, Type string
	Nodes      []string // that publish it
}

// transports are the topics of image_transport beside one of images.
var transports = map[string]string{
	"compressed": "sensor_msgs/CompressedImage", "compressedDepth": "sensor_msgs/CompressedImage",
	"theora": "theora_image_transport/Packet",
}

const imageType = "sensor_msgs/Image"

// split splits the name of a topic of images into that of the images and the transport, which is "" for the images
// themselves.
func (s Topic) split() (base, transport string, ok bool) {
	i := strings.LastIndexByte(s.Name, '/')
	if typ := transports[s.Name[i+1:]]; i > 0 && typ != "" && typ == s.Type {
		return s.Name[:i], s.Name[i+1:], true
	}
	return s.Name, "", s.Type == imageType
}

func (s Topic) sameNode(other Topic) bool {
	return slices.ContainsFunc(s.Nodes, func(n string) bool { return slices.Contains(other.Nodes, n) })
}

// Duplicates are topics with images that a node publishes under another name, too.
type Duplicates struct {
	of      map[string]string // the other topic
	Exclude string            // a regular expression of them; "" if there are none
	namings bool              // a camera is published under two namings
}

// Find looks at names, types and publishers.
func Find(topics []Topic) Duplicates {
	d := Duplicates{of: map[string]string{}}
	suffixes, nodes := map[string]bool{}, Topic{}
	byName := map[string]Topic{}
	for _, t := range topics {
		byName[t.Name] = t
	}
	for _, t := range topics {
		base, transport, ok := t.split()
		if !ok {
			continue
		}
		if raw := byName[base]; transport != "" && raw.Type == imageType && raw.sameNode(t) {
			d.of[t.Name], suffixes[transport] = base, true
		}
		if stream := streamOf(base); stream != "" {
			shown := func(other Topic) bool { return other.shows(stream, transport) && other.sameNode(t) }
			if i := slices.IndexFunc(topics, shown); i >= 0 {
				d.of[t.Name], d.namings = topics[i].Name, true
			}
		}
		if d.of[t.Name] != "" {
			nodes.Nodes = append(nodes.Nodes, t.Nodes...)
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
	d.Exclude = strings.Join(parts, "|")
	if re, err := bagstore.MatchWhole(d.Exclude); err != nil || slices.ContainsFunc(topics, func(t Topic) bool {
		_, _, image := t.split()
		return re.MatchString(t.Name) && d.of[t.Name] == "" && (image || !t.sameNode(nodes))
	}) { // it would leave out more
		d.Exclude = ""
		for _, name := range slices.Sorted(maps.Keys(d.of)) {
			d.Exclude += "|" + regexp.QuoteMeta(name)
		}
		d.Exclude = d.Exclude[1:]
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
func (s Topic) shows(stream, transport string) bool {
	base, by, ok := s.split()
	image := "/" + stream + "/image_"
	return ok && by == transport && (strings.HasSuffix(base, image+"raw") || strings.HasSuffix(base, image+"rect_raw"))
}

// String says what to do about them.
func (d Duplicates) String() string {
	if len(d.of) == 0 {
		return ""
	}
	name := slices.Min(slices.Collect(maps.Keys(d.of)))
	text := fmt.Sprintf("%d topics have images that are recorded from other topics, too, such as %s from %s: leave them out with -x '%s'",
		len(d.of), name, d.of[name], d.Exclude)
	if d.namings {
		text += ", or publish one naming (live --naming wrapper)"
	}
	return text
}
