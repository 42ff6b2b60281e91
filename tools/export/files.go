package export

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"

	"rsros/bagstore/place"
)

// Files are the files of a folder that is being written. Each gets its name, which has slashes, when it is complete.
// They aren't synced: a folder has thousands of images, and can be written again. The methods are for one goroutine.
type Files struct {
	Dir       string
	Overwrite bool // existing files
	Work      *Workers
	made      map[string]bool // folders
	tables    []*Table
	count     atomic.Int64 // of complete files
	size      atomic.Int64 // in bytes
}

// NewFiles returns the files of a folder, with a worker for each core.
func NewFiles(dir string, overwrite bool) *Files {
	return &Files{Dir: dir, Overwrite: overwrite, Work: NewWorkers(runtime.GOMAXPROCS(0)), made: make(map[string]bool)}
}

// Path returns the path of a file, in a folder that exists.
func (f *Files) Path(name string) (string, error) {
	path := filepath.Join(f.Dir, filepath.FromSlash(name))
	if parent := filepath.Dir(path); !f.made[parent] {
		if err := os.MkdirAll(parent, 0o777); err != nil {
			return "", err
		}
		f.made[parent] = true
	}
	return path, nil
}

// Create creates the file that appears when it is finished.
func (f *Files) Create(name string) (*place.Target, error) {
	path, err := f.Path(name)
	if err != nil {
		return nil, err
	}
	return f.create(path)
}

func (f *Files) create(path string) (*place.Target, error) {
	t, err := place.Create(context.Background(), path, f.Overwrite)
	if err != nil {
		return nil, err
	}
	t.Unsynced = true
	return t, nil
}

// finish finishes a file, and counts it.
func (f *Files) finish(t *place.Target, err error) error {
	st, unknown := t.Stat()
	if err = t.Finish(cmp.Or(err, unknown)); err == nil {
		f.count.Add(1)
		f.size.Add(st.Size())
	}
	return err
}

// Write writes a file with write.
func (f *Files) Write(name string, write func(io.Writer) error) error {
	t, err := f.Create(name)
	if err != nil {
		return err
	}
	return f.finish(t, write(t.File))
}

// Text writes a small file.
func (f *Files) Text(name string, text []byte) error {
	return f.Write(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Go is Write in a worker. It calls release at the end.
func (f *Files) Go(name string, release func(), write func(io.Writer) error) error {
	path, err := f.Path(name)
	if err != nil {
		release()
		return err
	}
	return f.Work.Do(func() error {
		defer release()
		t, err := f.create(path)
		if err != nil {
			return err
		}
		return f.finish(t, write(t.File))
	})
}

// Finish waits for the workers, and completes the tables. After an error, which may be the caller's, it removes them.
func (f *Files) Finish(err error) error {
	wait := f.Work.Wait()
	err = cmp.Or(err, wait)
	for _, t := range f.tables {
		err = cmp.Or(f.finish(t.file, cmp.Or(err, t.out.Flush())), err)
	}
	f.tables = nil
	return err
}

// Table is a text file that is written line by line. There is no file without a line. Files.Finish completes it.
type Table struct {
	files      *Files
	name, head string
	file       *place.Target
	out        *bufio.Writer // nil before the first line
}

// Table returns a table whose first line is head.
func (f *Files) Table(name, head string) *Table { return &Table{files: f, name: name, head: head} }

// Empty reports whether there is no line.
func (t *Table) Empty() bool { return t.out == nil }

func (t *Table) begin() (err error) {
	if !t.Empty() {
		return nil
	}
	if t.file, err = t.files.Create(t.name); err != nil {
		return err
	}
	t.out = bufio.NewWriterSize(t.file, 64<<10)
	t.files.tables = append(t.files.tables, t)
	_, err = t.out.WriteString(t.head)
	return err
}

// Printf writes a line, which format ends.
func (t *Table) Printf(format string, values ...any) error {
	if err := t.begin(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(t.out, format, values...)
	return err
}

// Row writes a line of CSV. Numbers are written so that they read back exactly. nil is an empty cell.
func (t *Table) Row(values []any) error {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = cell(v)
	}
	if err := t.begin(); err != nil {
		return err
	}
	return csv.NewWriter(t.out).Write(cells) // buffers in t.out
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
