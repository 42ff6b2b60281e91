package export

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"
)

type table struct {
	path  string
	file  *os.File
	csv   *csv.Writer
	cells []string // of a row
}

func newTable(path string, overwrite bool, columns []string) (*table, error) {
	f, err := createPartial(path, overwrite)
	if err != nil {
		return nil, err
	}
	t := &table{path: path, file: f, csv: csv.NewWriter(bufio.NewWriterSize(f, 64<<10)), cells: make([]string, len(columns))}
	return t, t.csv.Write(columns)
}

// row writes numbers so that they read back exactly. nil is an empty cell.
func (t *table) row(values []any) error {
	if len(values) != len(t.cells) {
		return fmt.Errorf("%s: %d values for %d columns", t.path, len(values), len(t.cells))
	}
	for i, v := range values {
		t.cells[i] = cell(v)
	}
	return t.csv.Write(t.cells)
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'f', -1, 32)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(v)
}

// close renames the file to its final name, or removes it after an error.
func (t *table) close(failed error) error {
	t.csv.Flush()
	return finishPartial(t.file, t.path, errors.Join(failed, t.csv.Error()))
}
