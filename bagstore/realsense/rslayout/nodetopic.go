package rslayout

import (
	"slices"
	"strconv"
	"strings"

	"rsros/camdriver"
)

// The names of topics of realsense2_camera and similar nodes.

// streamWords are found in the names of streams.
var streamWords = []struct {
	word string
	kind camdriver.StreamKind
}{
	{"color", camdriver.Color}, {"rgb", camdriver.Color}, {"depth", camdriver.Depth}, {"infra", camdriver.Infrared},
	{"accel", camdriver.Accel}, {"gyro", camdriver.Gyro}, {"imu", camdriver.Motion}, {"motion", camdriver.Motion},
}

// NodeName returns realsense2_camera's name of a stream, such as "infra1" or "gyro".
func NodeName(id camdriver.StreamID) string {
	name := strings.ToLower(id.Kind.String())
	if id.Kind == camdriver.Infrared {
		name = "infra"
	}
	if id.Index > 0 {
		name += strconv.Itoa(id.Index)
	}
	return name
}

// NodeStream returns the stream that a topic's name means: by the last part that has one of the words.
// An image as another camera sees it, such as aligned_depth_to_color, is none. prefix is what the names of
// the camera's topics begin with: its namespace between slashes, or "/".
func NodeStream(topic string, inertial bool) (prefix string, id camdriver.StreamID, ok bool) {
	topic, _ = TransportOf(topic)
	can := func(k camdriver.StreamKind) bool { return k.Inertial() == inertial }
	parts := strings.Split(topic, "/")
	for i, part := range slices.Backward(parts) {
		id, ok := namedStream(strings.ToLower(part), can)
		if !ok {
			continue
		}
		if strings.Contains(part, "_to_") || strings.Contains(part, "aligned") || strings.Contains(part, "registered") {
			return "", camdriver.StreamID{}, false
		}
		if last := i == len(parts)-1; last && i > 0 { // /camera/color/image_color is of /camera
			if folder, ok := namedStream(strings.ToLower(parts[i-1]), can); ok && folder == id {
				i--
			}
		}
		return strings.Join(parts[:i], "/") + "/", id, true
	}
	return strings.Join(parts[:len(parts)-1], "/") + "/", camdriver.StreamID{Kind: camdriver.Motion}, inertial
}

// TransportOf returns the name of an image topic without the name that image_transport adds to it, and that name: "" of
// a topic with images as they are.
func TransportOf(topic string) (base, transport string) {
	for _, transport := range []string{"compressed", "compressedDepth"} {
		if base, ok := strings.CutSuffix(topic, "/"+transport); ok {
			return base, transport
		}
	}
	return topic, ""
}

// namedStream finds the first word in a part of a name that is of a kind that can be.
func namedStream(part string, can func(camdriver.StreamKind) bool) (id camdriver.StreamID, ok bool) {
	for _, w := range streamWords {
		if !strings.Contains(part, w.word) || !can(w.kind) {
			continue
		}
		id.Kind = w.kind
		if w.kind == camdriver.Infrared {
			digits := strings.TrimLeft(part[strings.Index(part, w.word):], "infraed_")
			id.Index, _ = strconv.Atoi(digits) // infra1, infrared_2; 0 if there is no number
		}
		return id, true
	}
	return id, false
}

// NodePair returns the streams of an extrinsics topic, such as /camera/extrinsics/depth_to_color, and
// the prefix of the camera's topics.
func NodePair(topic string) (prefix string, from, to camdriver.StreamID, ok bool) {
	prefix, name, found := strings.Cut(topic, "extrinsics/")
	a, b, between := strings.Cut(strings.ToLower(name), "_to_")
	if !found || !between {
		return "", from, to, false
	}
	anything := func(camdriver.StreamKind) bool { return true }
	from, ok = namedStream(a, anything)
	to, known := namedStream(b, anything)
	return prefix, from, to, ok && known
}

// SiblingTopic returns the topic called name in a topic's namespace: /camera/depth/metadata for
// /camera/depth/image_rect_raw.
func SiblingTopic(topic, name string) string {
	return topic[:max(strings.LastIndexByte(topic, '/'), 0)] + "/" + name
}
