package convert

import (
	"cmp"
	"fmt"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/mcap"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/recording"
	"rsros/msgs/ros2"
	"rsros/program"
	"rsros/tools/rewrite"
)

// sources are the recordings that Messages reads, with messages as they were recorded.
type sources struct {
	bags   []*bagstore.Recording
	topics map[*bagstore.Connection]bagstore.Topic
	conns  []*bagstore.Connection // that are selected
}

// openSources opens recordings. The caller must close them even after an error.
func openSources(names []string, o bagstore.OpenOptions) (sources, error) {
	in := sources{topics: make(map[*bagstore.Connection]bagstore.Topic)}
	for _, name := range names {
		bag, topics, err := recording.OpenRaw(name, o)
		if err != nil {
			return in, err
		}
		in.bags = append(in.bags, bag)
		for _, c := range bag.Connections() {
			in.topics[c] = topics[c.ID]
		}
	}
	return in, nil
}

// mcapFiles is [recording.MCAPFiles] of all recordings.
func (s sources) mcapFiles() (files []*mcap.File, all bool) {
	all = true
	for _, b := range s.bags {
		list, only := recording.MCAPFiles(b)
		files, all = append(files, list...), all && only
	}
	return files, all
}

// choose calls o.Choose for ROS 1 forms of types and messages, as rewrite.Merge does. An output's compression is by
// default the first recording's.
func (s sources) choose(o *Options) (rewrite.Options, error) {
	if o.Choose == nil {
		return rewrite.Options{}, nil
	}
	forms := make(map[*bagstore.Connection]*ros2.Mapping)
	as := make(map[*bagstore.Connection]*bagstore.Connection)
	for c, t := range s.topics {
		if _, ok := rslayout.TopicType(t.Name); ok && t.Encoding == bagstore.ROS1 && o.ROS == 0 &&
			o.format() == extDB3 && strings.HasPrefix(t.Name, "/device_") {
			bag := strings.TrimSuffix(o.Out, extDB3) + extBag
			return rewrite.Options{}, fmt.Errorf("%w: %s would be no .db3 that librealsense plays: name it %s, "+
				"then run: rs-ros-node convert %s -o %s", program.ErrUsage, o.Out, bag, bag, o.Out)
		}
		if m, err := recording.Map(t); t.Encoding == bagstore.CDR && err == nil {
			one := *c
			one.Type, one.MD5, one.Definition = m.Type.Name, m.Type.MD5, m.Type.Definition
			forms[c], as[c] = m, &one
		}
	}
	chosen, err := o.Choose(s.bags)
	if err != nil {
		return chosen, err
	}
	chosen.As = func(c *bagstore.Connection) *bagstore.Connection { return cmp.Or(as[c], c) }
	if keep := chosen.Keep; keep != nil {
		var data []byte
		chosen.Keep = func(m bagstore.Message) (_ bool, err error) {
			if chosen.Judges != nil && !chosen.Judges(m.Conn) {
				return true, nil
			}
			if form := forms[m.Conn]; form != nil {
				if data, _, err = form.Convert(data[:0], m.Data); err != nil {
					return false, fmt.Errorf("message of %s: %w", m.Conn.Topic, err)
				}
				m.Conn, m.Data = as[m.Conn], data
			}
			return keep(m)
		}
	}
	if o.format() == extMCAP && o.Bag.Compression == "" {
		if o.Bag.Compression, err = rewrite.MainCompression(s.bags[0]); o.Bag.Compression == bagstore.BZ2 {
			o.Bag.Compression = bagstore.LZ4
		}
	}
	return chosen, err
}
