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
	v := bag.View(q)
	walk := bagset.Walk{Pace: bagstore.Pace{Ctx: ctx, Progress: o.Progress, Total: v.Count()}, Log: o.Log}
	err = writeWhole(o.MCAP, o.Overwrite, func(f *os.File) error {
		w, err := mcap.NewWriter(f, mcap.ProfileROS1, mcapCompression(o.Compress))
		if err != nil {
			return err
		}
		e := mcapExporter{w: w, channels: make(map[*bagstore.Connection]uint16)}
		for m, err := range walk.Messages(v) {
			if err == nil {
				err = e.message(m)
			}
			if err != nil {
				return err
			}
		}
		return w.Close()
	})
	return walk.Damaged, err
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
