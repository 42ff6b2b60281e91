package convert

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"rsros/bagstore"
	"rsros/bagstore/atomicfile"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/mcap"
	"rsros/bagstore/formats/rosbag2"
)

// output is a recording that is being written message by message.
type output interface {
	// topic makes a topic known. Its messages have the encoding that the output was
	// made for.
	topic(container.Topic) (int, error)
	write(topic int, t bagstore.Time, data []byte) error
	// close makes the recording whole. m says what is in it.
	close(m *rosbag2.Metadata) error
}

// The formats that a recording is written in, by the ends of names.
const (
	extBag  = ".bag"
	extDB3  = ".db3"
	extMCAP = ".mcap"
)

// format is the end of the names of such outputs.
func (o Options) format() string { return cmp.Or(o.Format, filepath.Ext(o.Out)) }

// writeOutput has fill write the output's messages. The output appears when fill has
// returned what is in it.
func writeOutput(o Options, encoding string, fill func(output) (*rosbag2.Metadata, error)) error {
	switch ext := o.format(); ext {
	case extBag:
		return writeBagFile(o, fill)
	case extDB3, extMCAP:
		_, err := writeFile(o.Out, ext, o, encoding, fill)
		return err
	}
	return atomicfile.WriteFolder(o.Out, func(dir string) error {
		ext := extDB3
		if o.Storage == rosbag2.StorageMCAP {
			ext = extMCAP
		}
		name := filepath.Base(filepath.Clean(o.Out)) + "_0" + ext
		m, err := writeFile(filepath.Join(dir, name), ext, o, encoding, fill)
		if err != nil {
			return err
		}
		return atomicfile.Write(filepath.Join(dir, rosbag2.MetadataName), false, func(f *os.File) error {
			if _, err := f.WriteString(m.YAML()); err != nil {
				return err
			}
			return f.Sync()
		})
	})
}

func writeBagFile(o Options, fill func(output) (*rosbag2.Metadata, error)) error {
	o.Bag.Overwrite = o.Overwrite
	w, err := bagstore.CreateOutput(o.Out, o.Bag)
	if err != nil {
		return err
	}
	_, err = fill(bagOutput{w.Writer})
	return w.Finish(err)
}

// writeFile writes a .db3 or an MCAP file and returns what is in it.
func writeFile(path, ext string, o Options, encoding string, fill func(output) (*rosbag2.Metadata, error)) (m *rosbag2.Metadata, err error) {
	err = atomicfile.Write(path, o.Overwrite, func(f *os.File) error {
		out, storage, err := newOutput(f, ext, o, encoding)
		if err != nil {
			return err
		}
		m, err = fill(out)
		if m == nil {
			m = &rosbag2.Metadata{}
		}
		m.File, m.Storage = filepath.Base(path), storage
		if err = errors.Join(err, out.close(m)); err != nil {
			return err
		}
		return f.Sync()
	})
	return m, err
}

func newOutput(f *os.File, ext string, o Options, encoding string) (output, string, error) {
	if ext == extDB3 {
		w, err := rosbag2.NewDefinedWriter(f)
		return db3Output{w}, rosbag2.StorageSQLite, err
	}
	profile := mcap.ProfileROS2
	if encoding == container.ROS1 {
		profile = mcap.ProfileROS1
	}
	w, err := mcap.NewWriter(f, profile, o.Bag.Compression)
	return mcapOutput{w}, rosbag2.StorageMCAP, err
}

type bagOutput struct{ w *bagstore.Writer }

func (b bagOutput) topic(t container.Topic) (int, error) {
	id, err := b.w.AddConnection(bagstore.Connection{
		Topic: t.Name, Type: t.Type, MD5: t.MD5, Definition: t.Schema.Text, CallerID: t.CallerID, Latching: t.Latching,
	})
	return int(id), err
}

func (b bagOutput) write(topic int, t bagstore.Time, data []byte) error {
	return b.w.Write(uint32(topic), t, data)
}

func (b bagOutput) close(*rosbag2.Metadata) error { return nil } // writeBagFile does

type db3Output struct{ w *rosbag2.Writer }

func (d db3Output) topic(t container.Topic) (int, error) {
	id, err := d.w.AddDefined(t)
	return int(id), err
}

func (d db3Output) write(topic int, t bagstore.Time, data []byte) error {
	return d.w.Write(int64(topic), int64(t), data)
}

func (d db3Output) close(m *rosbag2.Metadata) error {
	return errors.Join(d.w.Describe(m), d.w.Close())
}

type mcapOutput struct{ w *mcap.Writer }

func (m mcapOutput) topic(t container.Topic) (int, error) {
	id, err := m.w.AddTopic(t)
	return int(id), err
}

func (m mcapOutput) write(topic int, t bagstore.Time, data []byte) error {
	return m.w.Write(uint16(topic), t, data)
}

func (m mcapOutput) close(*rosbag2.Metadata) error { return m.w.Close() }

// encodingOf is the encoding of the messages of an output. of is that of the input's.
func encodingOf(o Options, of string) (string, error) {
	want, ok := map[int]string{0: of, 1: container.ROS1, 2: container.CDR}[o.ROS]
	if !ok {
		return "", fmt.Errorf("messages of ROS %d: there are ROS 1 and ROS 2", o.ROS)
	}
	only := ""
	switch o.format() {
	case extBag:
		only = container.ROS1
	case extMCAP:
		return want, nil
	default:
		only = container.CDR
	}
	if o.ROS != 0 && want != only {
		return "", fmt.Errorf("%s has no place for messages of ROS %d", o.Out, o.ROS)
	}
	return only, nil
}
