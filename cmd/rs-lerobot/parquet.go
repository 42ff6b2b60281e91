package main

import (
	"errors"
	"fmt"

	pq "github.com/parquet-go/parquet-go"

	"rsros/bagstore/place"
	"rsros/tools/dataset"
)

// maxGroup bounds the bytes of images that are held in memory until a group of rows is written.
const maxGroup = 8 << 20

// cells are the values of a row, by column: int64, float32, float64, string, a slice of those, channels or an image.
type cells = map[string]any

// channels are a value for each channel of an image, in the shape that images have.
type channels [][][]float64

// imageCell is an image file: its bytes and its path.
type imageCell map[string]any

// parquetTable writes a Parquet file, whose columns are those of the first row. The file gets its
// name when it is closed. It is for one goroutine.
type parquetTable struct {
	file     *place.Target
	metadata []pq.WriterOption
	out      *pq.GenericWriter[cells]
	held     int // bytes of images in the current group
}

// createParquet creates a table below the data set's folder.
func createParquet(f *dataset.Folder, name string, metadata ...pq.WriterOption) (*parquetTable, error) {
	file, err := f.Create(name)
	if err != nil {
		return nil, err
	}
	return &parquetTable{file: file, metadata: metadata}, nil
}

func (t *parquetTable) write(row cells) error {
	if t.out == nil {
		t.begin(row)
	}
	if _, err := t.out.Write([]cells{row}); err != nil {
		return err
	}
	for _, cell := range row {
		if image, ok := cell.(imageCell); ok {
			t.held += len(image["bytes"].([]byte))
		}
	}
	if t.held < maxGroup {
		return nil
	}
	t.held = 0
	return t.out.Flush()
}

// begin makes the schema of a row.
func (t *parquetTable) begin(row cells) {
	group := make(pq.Group)
	// Statistics of a page would hold an image four more times.
	options := []pq.WriterOption{pq.DefaultEncoding(&pq.Plain), pq.DataPageVersion(1), pq.DataPageStatistics(false)}
	for name, cell := range row {
		group[name] = node(cell)
		if _, ok := cell.(imageCell); ok {
			options = append(options, pq.SkipPageBounds(name, "bytes"))
		}
	}
	options = append(options, pq.NewSchema("schema", group))
	t.out = pq.NewGenericWriter[cells](t.file, append(options, t.metadata...)...)
}

func node(cell any) pq.Node {
	small := func(n pq.Node) pq.Node { return pq.Compressed(n, &pq.Snappy) }
	integer, single, double := small(pq.Int(64)), small(pq.Leaf(pq.FloatType)), small(pq.Leaf(pq.DoubleType))
	switch cell.(type) {
	case int64:
		return integer
	case float32:
		return single
	case float64:
		return double
	case string:
		return small(pq.String())
	case []int64:
		return pq.List(integer)
	case []float32:
		return pq.List(single)
	case []float64:
		return pq.List(double)
	case []string:
		return pq.List(small(pq.String()))
	case channels:
		return pq.List(pq.List(pq.List(double)))
	case imageCell: // compressed already
		return pq.Group{"bytes": pq.Leaf(pq.ByteArrayType), "path": small(pq.String())}
	}
	panic(fmt.Sprintf("no column for %T", cell))
}

// close completes the file, or removes it after an error.
func (t *parquetTable) close(failed error) error {
	if failed == nil && t.out != nil {
		failed = t.out.Close()
	}
	if failed == nil && t.out == nil {
		failed = errors.New("a table has no rows")
	}
	return t.file.Finish(failed)
}
