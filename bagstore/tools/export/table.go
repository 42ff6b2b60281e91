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
	path    string
	file    *os.File
	buf     *bufio.Writer
	csv     *csv.Writer
	columns int
	cells   []string
}

func newTable(path string, overwrite bool, columns []string) (*table, error) {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return nil, fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	f, err := os.Create(path + ".partial")
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriterSize(f, 64<<10)
	t := &table{path: path, file: f, buf: buf, csv: csv.NewWriter(buf), columns: len(columns)}
	return t, t.csv.Write(columns)
}

// row writes numbers so that they read back exactly. nil is an empty cell.
func (t *table) row(values []any) error {
	if len(values) != t.columns {
		return fmt.Errorf("%s: %d values for %d columns", t.path, len(values), t.columns)
	}
	t.cells = t.cells[:0]
	for _, v := range values {
		t.cells = append(t.cells, cell(v))
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
	err := errors.Join(failed, t.csv.Error(), t.buf.Flush(), t.file.Close())
	if err != nil {
		return errors.Join(err, os.Remove(t.path+".partial"))
	}
	return os.Rename(t.path+".partial", t.path)
}
