package recording

import (
	"context"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/rosbag2"
	"rsros/bagstore/place"
	"rsros/msgs/ros2"
	"rsros/program/yaml"
)

const kindNames = "names"

// named is a damaged .db3 file with names and types of topics that were found elsewhere.
type named struct {
	*rosbag2.File
	topics []container.Topic
	notes  bagstore.Notes
}

func (n *named) Topics() []container.Topic { return slices.Clone(n.topics) }

func (n *named) Notes() []bagstore.Note { return slices.Clone(n.notes) }

func openDB3(in place.File, o bagstore.OpenOptions) (container.Container, error) {
	f, err := rosbag2.OpenFile(o.Context, in, o.Progress)
	if err != nil {
		return nil, err
	}
	return withNames(o.Context, in.Name(), f), nil
}

// withNames looks for lost names and types in the file's own metadata, or in its folder's
// metadata.yaml.
func withNames(ctx context.Context, path string, f *rosbag2.File) container.Container {
	lost := f.Unnamed()
	if len(lost) == 0 {
		return f
	}
	n := &named{f, f.Topics(), f.Notes()}
	p := pairing{n: n, open: lost, samples: n.sample(lost), counts: make(map[uint32]uint64), forms: make(map[form]bool)}
	for _, b := range f.Blocks() {
		for _, c := range b.Counts {
			p.counts[c.ID] += uint64(c.Count)
		}
	}
	p.described(ctx, path)
	if found := p.pair(true); found > 0 {
		n.notes.Addf(bagstore.Repairable, -1, kindNames, "names of %d topics are those in the metadata of rosbag2 whose type and number of messages fit", found)
	}
	if found := p.pair(false); found > 0 {
		n.notes.Addf(bagstore.Repairable, -1, kindNames, "names of %d topics are those in the metadata of rosbag2 whose type is the only one that fits; some of their messages are missing", found)
	}
	if types := p.guess(); types > 0 {
		n.notes.Addf(bagstore.Repairable, -1, kindNames, "types of %d topics without a name are the ones that their messages have the form of", types)
	}
	return n
}

type topicCount struct {
	Topic struct {
		Name     string `yaml:"name"`
		Type     string `yaml:"type"`
		Encoding string `yaml:"serialization_format"`
	} `yaml:"topic_metadata"`
	Count uint64 `yaml:"message_count"`
}

// pairing assigns topics of the metadata to topics without a name.
type pairing struct {
	n       *named
	open    []uint32 // topics without a name
	samples map[uint32][][]byte
	counts  map[uint32]uint64
	list    []topicCount  // of the metadata, not yet assigned
	forms   map[form]bool // results of fits
}

type form struct {
	topic uint32
	name  string
}

// described lists the topics of the metadata that have no messages under their names.
func (p *pairing) described(ctx context.Context, name string) {
	var info metadataInfo
	text := p.n.Described()
	if text == "" || yaml.Decode([]byte(text), &info) != nil {
		var err error
		info, err = readMetadata(ctx, place.Sibling(name, rosbag2.MetadataName))
		if err != nil || len(info.Files) != 1 || info.Files[0] != place.Base(name) {
			return // there is none, or it counts several files or another one
		}
	}
	for _, t := range info.Topics {
		if !slices.ContainsFunc(p.n.topics, func(u container.Topic) bool { return u.Name == t.Topic.Name }) {
			p.list = append(p.list, t)
		}
	}
}

// maxPairs bounds the number of open topics times that of the metadata.
const maxPairs = 1 << 18

// pair names the topics that fit exactly one entry of the metadata which fits no other topic, and
// returns how many. With complete, the numbers of messages must be equal; otherwise only the type,
// which must be known, decides.
func (p *pairing) pair(complete bool) (n int) {
	for again := len(p.open)*len(p.list) <= maxPairs; again; {
		again = false
		for i := 0; i < len(p.open); i++ {
			id := p.open[i]
			at := single(p.list, func(t topicCount) bool { return p.may(id, t, complete) })
			if at < 0 || single(p.open, func(other uint32) bool { return p.may(other, p.list[at], complete) }) < 0 {
				continue
			}
			t := p.list[at]
			if _, err := ros2.Map(t.Topic.Type, ""); !complete && (len(p.samples[id]) == 0 || err != nil) {
				continue
			}
			p.n.topics[id].Name, p.n.topics[id].Type = t.Topic.Name, t.Topic.Type
			p.open, p.list = slices.Delete(p.open, i, i+1), slices.Delete(p.list, at, at+1)
			again = true
			n++
			i--
		}
	}
	return n
}

// may reports whether an entry of the metadata may be about a topic.
func (p *pairing) may(id uint32, t topicCount, complete bool) bool {
	found := p.counts[id]
	return (t.Count == found || !complete && t.Count > found) && p.fits(id, t.Topic.Type)
}

// single returns the index of the only element that fits, or -1.
func single[T any](list []T, fits func(T) bool) int {
	i := slices.IndexFunc(list, fits)
	if i >= 0 && slices.ContainsFunc(list[i+1:], fits) {
		return -1
	}
	return i
}

// distinctive are types whose form messages of another type hardly ever have.
var distinctive = []string{
	"sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/CameraInfo", "sensor_msgs/msg/Imu", "sensor_msgs/msg/PointCloud2",
	"sensor_msgs/msg/LaserScan", "tf2_msgs/msg/TFMessage", "nav_msgs/msg/Odometry", "std_msgs/msg/String",
}

// guess sets the types of topics whose messages fit exactly one distinctive type.
func (p *pairing) guess() (n int) {
	for _, id := range p.open {
		if len(p.samples[id]) == 0 {
			continue
		}
		if at := single(distinctive, func(typ string) bool { return p.fits(id, typ) }); at >= 0 {
			p.n.topics[id].Type = distinctive[at]
			n++
		}
	}
	return n
}

// fits reports whether a topic's messages may be of a type. All fit an unknown type.
func (p *pairing) fits(id uint32, typ string) bool {
	f := form{id, typ}
	is, known := p.forms[f]
	if !known {
		is = haveForm(typ, p.samples[id])
		p.forms[f] = is
	}
	return is
}

// haveForm reports whether messages have the form of a type, or the type is unknown.
func haveForm(typ string, messages [][]byte) bool {
	m, err := ros2.Map(typ, "")
	if err != nil {
		return true
	}
	for _, b := range messages {
		if _, whole, err := m.Convert(nil, b); err != nil || !whole {
			return false
		}
	}
	return true
}

// Limits of the samples that are read of topics without a name.
const (
	sampleMessages = 3
	sampleBytes    = 16 << 20 // of one topic
	sampleAll      = 256 << 20
)

func (n *named) sample(topics []uint32) map[uint32][][]byte {
	samples := make(map[uint32][][]byte)
	sizes, all := make(map[uint32]int), 0
	wanted := make(map[uint32]bool)
	for _, id := range topics {
		wanted[id] = true
	}
	for block := range n.Blocks() {
		entries, err := n.Entries(block)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !wanted[e.Conn] {
				continue
			}
			b, err := n.Read(block, e, func(n int) []byte { return make([]byte, 0, n) })
			if err != nil {
				continue
			}
			samples[e.Conn] = append(samples[e.Conn], b)
			sizes[e.Conn] += len(b)
			all += len(b)
			if len(samples[e.Conn]) == sampleMessages || sizes[e.Conn] > sampleBytes {
				delete(wanted, e.Conn)
			}
			if len(wanted) == 0 || all > sampleAll {
				return samples
			}
		}
	}
	return samples
}
