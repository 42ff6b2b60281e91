package catalog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Bounds of a row, in bytes. The thumbnail has some 10 kB, a topic 100; a path has up to 4 KiB.
const (
	maxRow  = 4 << 20 // of JSON
	maxName = 8 << 10
)

// WriteLines writes rows as JSON, one in each line.
func WriteLines(w io.Writer, rows iter.Seq2[Row, error]) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	for r, err := range rows {
		if err == nil {
			err = enc.Encode(r)
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// readLines calls do for each row.
func readLines(r io.Reader, do func(Row) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxRow)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var row Row
		err := json.Unmarshal(lines.Bytes(), &row)
		if err == nil && row.Name == "" {
			err = errors.New("there is no name")
		}
		if n := len(row.Name); n > maxName {
			err = fmt.Errorf("the name has %d bytes, want at most %d", n, maxName)
		}
		if err == nil {
			err = do(row)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}
