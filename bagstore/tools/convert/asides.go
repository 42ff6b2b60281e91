package convert

import (
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/formats/mcap"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/realsense/rsdb3"
)

// rosbag2Record is rosbag2's own metadata record, which repeats the index.
const rosbag2Record = "rosbag2"

// asides copies the attachments and metadata of MCAP files, or lists them as lost. check also
// verifies the checksums of their chunks.
func (r *Result) asides(in *bagstore.Bag, out output, check bool) error {
	attachments, records := uint64(0), uint64(0) // that out can't hold
	files, _ := recording.MCAPFiles(in)
	for _, f := range files {
		if check {
			f.Check(func(n bagstore.Note) {
				r.lose(1, "chunk at byte %d whose messages may be damaged: %s", n.Offset, n.Text)
			})
		}
		a := f.Asides()
		r.lose(a.Damaged, "attachments or metadata records that are damaged: %v", a.Why)
		if out.mcap != nil {
			if err := r.addAsides(out.mcap, f, a); err != nil {
				return err
			}
			continue
		}
		attachments += uint64(len(a.Attachments))
		for _, m := range a.Metadata {
			if m.Name != rosbag2Record {
				records++
			}
		}
	}
	r.lose(attachments, "attachments, which only an .mcap has")
	r.lose(records, "metadata records, which only an .mcap has")
	return nil
}

func (r *Result) lose(n uint64, format string, args ...any) {
	if n > 0 {
		r.Lost = append(r.Lost, rsdb3.Loss{What: fmt.Sprintf(format, args...), Count: n})
	}
}

func (r *Result) addAsides(to *mcap.Writer, f *mcap.File, a mcap.Asides) error {
	for _, m := range a.Metadata {
		if err := to.AddMetadata(m); err != nil {
			return err
		}
		r.Records++
	}
	for _, x := range a.Attachments {
		if err := to.Attach(x, f.Open(x)); err != nil {
			return fmt.Errorf("attachment %.100q: %w", x.Name, err)
		}
		r.Attachments++
	}
	return nil
}
