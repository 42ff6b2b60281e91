package export

import (
	"context"
	"os"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/mcap"
	"rsros/bagstore/tools/bagset"
)

// exportMCAP writes the messages unchanged into an MCAP file of the ros1 profile. It returns how
// many can't be read.
func exportMCAP(ctx context.Context, bag *bagstore.Bag, q bagstore.Query, o Options) (bad int, err error) {
	v := bag.View(q)
	walk := bagset.Walk{Pace: bagstore.Pace{Ctx: ctx, Progress: o.Progress, Total: v.Count()}, Log: o.Log}
	if o.Compress != bagstore.None {
		o.Compress = bagstore.LZ4
	}
	err = writeWhole(o.MCAP, o.Overwrite, func(f *os.File) error {
		w, err := mcap.NewWriter(f, mcap.ProfileROS1, o.Compress)
		if err != nil {
			return err
		}
		channels := make(map[*bagstore.Connection]uint16)
		for m, err := range walk.Messages(v) {
			id, ok := channels[m.Conn]
			if err == nil && !ok {
				id, err = w.AddTopic(container.ROS1Topic(m.Conn))
				channels[m.Conn] = id
			}
			if err == nil {
				err = w.Write(id, m.Time, m.Data)
			}
			if err != nil {
				return err
			}
		}
		return w.Close()
	})
	return walk.Damaged, err
}
