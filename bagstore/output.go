package bagstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// output is a bag being made under a temporary name beside its final one, so
// that whatever stops the work leaves no half file there.
type output struct {
	*Writer
	path, partial string
	ids           map[*Connection]uint32
	same          []*Connection // what was added, to find equal ones
}

// partialSuffix ends the name of a file that is not finished.
const partialSuffix = ".partial"

func newOutput(path string, o Options) (*output, error) {
	partial := path + partialSuffix
	o.Checkpoint = -1 // nobody opens it before it has its name
	w, err := Create(partial, o)
	if err != nil {
		return nil, err
	}
	return &output{Writer: w, path: path, partial: partial, ids: make(map[*Connection]uint32)}, nil
}

// connection gives the output's ID for a connection of an input. Connections
// that are alike become one.
func (o *output) connection(c *Connection) (uint32, error) {
	if id, ok := o.ids[c]; ok {
		return id, nil
	}
	for _, d := range o.same {
		if c.same(d) {
			o.ids[c] = o.ids[d]
			return o.ids[c], nil
		}
	}
	id, err := o.AddConnection(*c)
	if err != nil {
		return 0, err
	}
	o.ids[c] = id
	o.same = append(o.same, c)
	return id, nil
}

// copy writes a message of an input.
func (o *output) copy(c *Connection, t Time, data []byte) error {
	id, err := o.connection(c)
	if err != nil {
		return err
	}
	return o.Write(id, t, data)
}

// finish gives the file its name, or removes it if there was an error.
func (o *output) finish(err error) error {
	err = errors.Join(err, o.Close())
	if err == nil {
		err = os.Rename(o.partial, o.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(o.partial))
	}
	return syncDir(filepath.Dir(o.path))
}

// syncDir makes a new name safe from a power cut. Some systems can't; there it
// is as safe as it gets.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}

// checkOutput refuses to replace a file unasked.
func checkOutput(path string, overwrite bool) error {
	if _, err := os.Stat(path); err == nil && !overwrite {
		return fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	return nil
}

// openAll opens bags; on an error none stays open.
func openAll(paths []string, o OpenOptions) (bags []*Bag, closeAll func(), err error) {
	closeAll = func() {
		for _, b := range bags {
			b.Close()
		}
	}
	for _, p := range paths {
		b, err := Open(p, o)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		bags = append(bags, b)
	}
	return bags, closeAll, nil
}

// pace tells progress and looks for the end of the context every few messages.
type pace struct {
	ctx         context.Context
	progress    Progress
	done, total uint64
}

func (p *pace) step() error {
	p.done++
	if p.done%256 != 0 && p.done != p.total {
		return nil
	}
	p.progress.report(p.done, p.total)
	return p.ctx.Err()
}
