package catalog

import (
	"errors"
	"fmt"
	"io"
	"iter"

	pq "github.com/parquet-go/parquet-go"

	"rsros/bagstore/tools/catalog/parquet"
)

// groupRows is the number of rows held in memory until they are written.
const groupRows = 1000

// writeParquet writes rows as Parquet, plain and compressed with zstd.
func writeParquet(w io.Writer, rows iter.Seq2[Row, error]) error {
	out := pq.NewGenericWriter[Row](w, pq.Compression(&pq.Zstd), pq.DefaultEncoding(&pq.Plain), pq.DataPageVersion(1),
		pq.DataPageStatistics(false), pq.SkipPageBounds("thumbnail"), // a thumbnail is stored once
		pq.MaxRowsPerRowGroup(groupRows))
	for r, err := range rows {
		if err == nil {
			_, err = out.Write([]Row{r})
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// columns has a setter of a row's field for each column.
var columns = map[string]func(*Row, parquet.Value){
	"version":        func(r *Row, v parquet.Value) { r.Version = string(v.Bytes) },
	"checksum":       func(r *Row, v parquet.Value) { r.Checksum = string(v.Bytes) },
	"modified":       func(r *Row, v parquet.Value) { r.Modified = v.Int },
	"made":           func(r *Row, v parquet.Value) { r.Made = v.Int },
	"size":           func(r *Row, v parquet.Value) { r.Size = v.Int },
	"format":         func(r *Row, v parquet.Value) { r.Format = string(v.Bytes) },
	"state":          func(r *Row, v parquet.Value) { r.State = State(v.Bytes) },
	"start":          func(r *Row, v parquet.Value) { r.Start = v.Int },
	"end":            func(r *Row, v parquet.Value) { r.End = v.Int },
	"duration":       func(r *Row, v parquet.Value) { r.Duration = v.Int },
	"messages":       func(r *Row, v parquet.Value) { r.Messages = v.Int },
	"device":         func(r *Row, v parquet.Value) { r.Device = string(v.Bytes) },
	"serial":         func(r *Row, v parquet.Value) { r.Serial = string(v.Bytes) },
	"firmware":       func(r *Row, v parquet.Value) { r.Firmware = string(v.Bytes) },
	"missing_frames": func(r *Row, v parquet.Value) { r.MissingFrames = &v.Int },
	"thumbnail":      func(r *Row, v parquet.Value) { r.Thumbnail = append([]byte(nil), v.Bytes...) },
	"error":          func(r *Row, v parquet.Value) { r.Error = string(v.Bytes) },

	"notes.list.element":           func(r *Row, v parquet.Value) { r.Notes = append(r.Notes, string(v.Bytes)) },
	"topics.list.element.name":     func(r *Row, v parquet.Value) { r.topic(v.Index).Name = string(v.Bytes) },
	"topics.list.element.type":     func(r *Row, v parquet.Value) { r.topic(v.Index).Type = string(v.Bytes) },
	"topics.list.element.messages": func(r *Row, v parquet.Value) { r.topic(v.Index).Messages = v.Int },
}

// topic returns a topic by its index. Those of a column come in order.
func (r *Row) topic(i int) *Topic {
	if i == len(r.Topics) {
		r.Topics = append(r.Topics, Topic{})
	}
	return &r.Topics[i]
}

// readParquet calls do for each row.
func readParquet(r io.ReaderAt, size int64, do func(Row) error) error {
	f, err := parquet.Open(r, size)
	if err != nil {
		return err
	}
	for g := range f.Groups() {
		rows, err := readGroup(f, g)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := do(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func readGroup(f *parquet.File, g int) (rows []Row, err error) {
	f.Begin()
	err = f.Column(g, "name", func(v parquet.Value) error {
		if len(v.Bytes) == 0 || v.Row != len(rows) {
			return errors.New("a row has no name")
		}
		rows = append(rows, Row{Name: string(v.Bytes), Topics: []Topic{}})
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("row group %d has no names", g)
	}
	for path, set := range columns {
		if err != nil {
			return nil, err
		}
		err = f.Column(g, path, func(v parquet.Value) error {
			if v.Row >= len(rows) {
				return errors.New("it has more rows than there are names")
			}
			if !v.Null && v.Index >= 0 {
				set(&rows[v.Row], v)
			}
			return nil
		})
	}
	return rows, err
}
