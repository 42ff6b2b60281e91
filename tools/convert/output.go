package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/mcap"
	"rsros/bagstore/place"
	"rsros/bagstore/rosbag"
	"rsros/program"
)

// filler writes the messages of a recording, which it may describe: nil is an empty one.
type filler func(output) (*db3.Metadata, error)

type output struct {
	topic func(bagstore.Topic) (int, error) // adds a topic
	write func(topic int, t bagstore.Time, data []byte) error
	close func(m *db3.Metadata) error // completes the recording; m describes it
	mcap  *mcap.Writer                // nil for other formats
}

// lazy adds topics with their first messages: what is selected of a recording has no other topics.
func (o output) lazy() output {
	type entry struct {
		bagstore.Topic
		number int // -1: not yet added
	}
	var list []entry
	topic, write := o.topic, o.write
	o.topic = func(t bagstore.Topic) (int, error) {
		list = append(list, entry{t, -1})
		return len(list) - 1, nil
	}
	o.write = func(n int, t bagstore.Time, data []byte) (err error) {
		e := &list[n]
		if e.number < 0 {
			if e.number, err = topic(e.Topic); err != nil {
				return err
			}
		}
		return write(e.number, t, data)
	}
	return o
}

// The formats that a recording is written in, by file extension.
const (
	extBag  = ".bag"
	extDB3  = ".db3"
	extMCAP = ".mcap"
)

func (o Options) format() string { return cmp.Or(o.Format, FormatOf(o.Out)) }

// FormatOf returns the format that a name says: its extension, "" for a folder of rosbag2. The null device is a bag.
func FormatOf(out string) string {
	if out == os.DevNull {
		return extBag
	}
	return filepath.Ext(out)
}

// writeOutput calls fill to write messages. The output gets its name after fill has returned.
func writeOutput(ctx context.Context, o Options, encoding string, fill filler) error {
	switch ext := o.format(); ext {
	case extBag:
		return writeBagFile(ctx, o, fill)
	case extDB3, extMCAP:
		_, err := writeFile(ctx, o.Out, ext, o, encoding, fill)
		return err
	}
	return place.WriteFolder(ctx, o.Out, func(dir string) error {
		ext := extDB3
		if o.Storage == db3.StorageMCAP {
			ext = extMCAP
		}
		name := place.Base(o.Out) + "_0" + ext
		m, err := writeFile(ctx, filepath.Join(dir, name), ext, o, encoding, fill)
		if err != nil {
			return err
		}
		text, err := m.YAML()
		if err != nil {
			return err
		}
		return place.Write(ctx, filepath.Join(dir, db3.MetadataName), false, func(f *os.File) error {
			_, err := f.Write(text)
			return err
		})
	})
}

func writeBagFile(ctx context.Context, o Options, fill filler) error {
	w, err := rosbag.CreateOutput(ctx, o.Out, o.Bag)
	if err != nil {
		return err
	}
	_, err = fill(output{
		topic: func(t bagstore.Topic) (int, error) {
			id, err := w.AddConnection(bagstore.Connection{
				Topic: t.Name, Type: t.Type, MD5: t.MD5, Definition: t.Schema.Text, CallerID: t.CallerID, Latching: t.Latching,
			})
			return int(id), err
		},
		write: func(topic int, t bagstore.Time, data []byte) error { return w.Write(uint32(topic), t, data) },
	})
	return w.Finish(err)
}

func writeFile(ctx context.Context, path, ext string, o Options, encoding string,
	fill filler) (m *db3.Metadata, err error) {
	err = place.Write(ctx, path, o.Bag.Overwrite, func(f *os.File) error {
		out, storage, err := newOutput(f, ext, o, encoding)
		if err != nil {
			return err
		}
		m, err = fill(out)
		if m == nil {
			m = &db3.Metadata{}
		}
		m.File, m.Storage = filepath.Base(path), storage
		return errors.Join(err, out.close(m))
	})
	return m, err
}

func newOutput(f *os.File, ext string, o Options, encoding string) (output, string, error) {
	if ext == extDB3 {
		if o.Bag.Compression != "" && o.Bag.Compression != bagstore.None {
			return output{}, "", fmt.Errorf("%w: %s: messages in a .db3 aren't compressed, except in a RealSense recording's",
				program.ErrUsage, o.Out)
		}
		w, err := db3.NewDefinedWriter(f)
		return output{
			topic: func(t bagstore.Topic) (int, error) {
				id, err := w.AddTopic(t)
				return int(id), err
			},
			write: func(topic int, t bagstore.Time, data []byte) error { return w.Write(int64(topic), int64(t), data) },
			close: func(m *db3.Metadata) error { return errors.Join(w.Describe(m), w.Close()) },
		}, db3.StorageSQLite, err
	}
	profile := mcap.ProfileROS2
	if encoding == bagstore.ROS1 {
		profile = mcap.ProfileROS1
	}
	w, err := mcap.NewWriter(f, profile, o.Bag.Compression)
	return output{
		topic: func(t bagstore.Topic) (int, error) {
			id, err := w.AddTopic(t)
			return int(id), err
		},
		write: func(topic int, t bagstore.Time, data []byte) error { return w.Write(uint16(topic), t, data) },
		close: func(*db3.Metadata) error { return w.Close() },
		mcap:  w,
	}, db3.StorageMCAP, err
}

// encodingOf returns the encoding of an output's messages. in is the input's.
func encodingOf(o Options, in string) (string, error) {
	want, ok := map[int]string{0: in, 1: bagstore.ROS1, 2: bagstore.CDR}[o.ROS]
	if !ok {
		return "", fmt.Errorf("messages of ROS %d: want ROS 1 or ROS 2", o.ROS)
	}
	only := ""
	switch o.format() {
	case extBag:
		only = bagstore.ROS1
	case extMCAP:
		return want, nil
	default:
		only = bagstore.CDR
	}
	if o.ROS != 0 && want != only {
		return "", fmt.Errorf("%s can't hold messages of ROS %d", o.Out, o.ROS)
	}
	return only, nil
}
