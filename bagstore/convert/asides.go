package convert

import (
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/mcap"
	"rsros/bagstore/recording"
	"rsros/bagstore/rsdb3"
)

// rosbag2's own record says of a file what its index says, too.
const rosbag2Record = "rosbag2"

// asides copies what MCAP files have beside messages into another one, or lists it as
// lost. check also compares their chunks with the checksums.
func (r *Result) asides(in *bagstore.Bag, out output, check bool) error {
	attachments, records := uint64(0), uint64(0)
	to, can := out.(mcapOutput)
	for _, f := range recording.MCAPFiles(in) {
		if check {
			err := f.Check(func(n bagstore.Note) {
				r.lost([]rsdb3.Loss{{What: fmt.Sprintf("chunk at byte %d whose messages may be damaged: %s", n.Offset, n.Text), Count: 1}})
			})
			if err != nil {
				return err
			}
		}
		a := f.Asides()
		if a.Damaged > 0 {
			r.lost([]rsdb3.Loss{{What: fmt.Sprintf("attachments or metadata records that are damaged: %v", a.Why), Count: a.Damaged}})
		}
		for _, m := range a.Metadata {
			switch {
			case can:
				if err := to.w.AddMetadata(m); err != nil {
					return err
				}
				r.Records++
			case m.Name != rosbag2Record:
				records++
			}
		}
		attachments += uint64(len(a.Attachments))
		if !can {
			continue
		}
		if err := r.attach(to.w, f, a.Attachments); err != nil {
			return err
		}
		attachments = 0
	}
	for what, n := range map[string]uint64{"attachments, which only an .mcap has": attachments, "metadata records, which only an .mcap has": records} {
		if n > 0 {
			r.lost([]rsdb3.Loss{{What: what, Count: n}})
		}
	}
	return nil
}

func (r *Result) attach(to *mcap.Writer, f *mcap.File, list []mcap.Attachment) error {
	for _, a := range list {
		if err := to.Attach(a, f.Open(a)); err != nil {
			return fmt.Errorf("attachment %.100q: %w", a.Name, err)
		}
		r.Attachments++
	}
	return nil
}
