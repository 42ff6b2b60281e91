package export

import (
	"context"
	"os"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/mcap"
	"rsros/bagstore/tools/bagset"
)

// exportMCAP writes the messages of a bag as they are into an MCAP file of the
// ros1 profile: a channel a connection, a schema a message type. It returns how many
// couldn't be read.
func exportMCAP(ctx context.Context, bag *bagstore.Bag, q bagstore.Query, o Options) (bad int, err error) {
	v, err := bagstore.NewView([]*bagstore.Bag{bag}, q)
	if err != nil {
		return 0, err
	}
	err = writeWhole(o.MCAP, o.Overwrite, func(f *os.File) error {
		w, err := mcap.NewWriter(f, mcap.ProfileROS1, mcapCompression(o.Compress))
		if err != nil {
			return err
		}
		e := mcapExporter{w: w, channels: make(map[*bagstore.Connection]uint16)}
		if bad, err = bagset.Each(&bagset.Pace{Ctx: ctx, Progress: o.Progress, Total: v.Count()}, v, o.Log, e.message); err != nil {
			return err
		}
		return w.Close()
	})
	return bad, err
}

func mcapCompression(c bagstore.Compression) bagstore.Compression {
	if c == bagstore.None {
		return bagstore.None
	}
	return bagstore.LZ4
}

type mcapExporter struct {
	w        *mcap.Writer
	channels map[*bagstore.Connection]uint16
}

func (e *mcapExporter) message(m bagstore.Message) error {
	id, ok := e.channels[m.Conn]
	if !ok {
		var err error
		if id, err = e.w.AddTopic(container.ROS1Topic(m.Conn)); err != nil {
			return err
		}
		e.channels[m.Conn] = id
	}
	return e.w.Write(id, m.Time, m.Data)
}
